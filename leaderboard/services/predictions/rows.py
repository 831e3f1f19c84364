"""The rows of files beside the truth, for readers: pictures, and comparisons of two files.

Only public rows, whoever reads: what a page shows is soon on a screen in a hall.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from django.core.cache import cache

from leaderboard.models import ScoringConfig, SubmittedFile, Truth
from leaderboard.predictions.comparing import ComparedFiles
from leaderboard.predictions.pictures import RowsPicture
from leaderboard.predictions.problems import BadTable
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.rules.statistics.comparisons import Comparison
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.schemas.text_metrics import TextSpec
from leaderboard.services.plugins import predictions
from leaderboard.services.plugins.prediction_metrics import (
    UnknownPredictionMetric,
    find_prediction_metric,
)
from leaderboard.services.predictions.submissions import packed_for
from leaderboard.services.predictions.values import timeout_of

PART: Final = TaskPart.PUBLIC
KEPT: Final = 3600
"""Predictions of an attempt and a truth never change, so that what follows from both is kept."""


def pictures_of_attempt(config: ScoringConfig, attempt: UUID) -> Sequence[RowsPicture]:
    """The public rows of an attempt's file; empty without a file, and if they cannot be read."""
    name = f"rows:{attempt}:{config.truth_id}"
    if (kept := cache.get(name)) is not None:
        return [RowsPicture.of(picture) for picture in kept]
    packed = _packed(config, [attempt]).get(attempt)
    if packed is None or config.truth_id is None:
        return []
    try:
        pictures = predictions.picture_predictions(packed, _key(config.truth_id), PART.value)
    except (SandboxError, BadTable):
        return []
    if isinstance(pictures, Failure):
        return []
    cache.set(name, [picture._asdict() for picture in pictures], KEPT)
    return pictures


def compared_files(
    config: ScoringConfig, specs: Sequence[TextSpec], attempts: Sequence[UUID]
) -> dict[str, dict[UUID, ComparedFiles]]:
    """The first attempt's file compared with that of each other, by the names of metrics.

    Attempts without a file, and metrics that fail, are left out.
    """
    compared: dict[str, dict[UUID, ComparedFiles]] = {spec.name: {} for spec in specs}
    names = {
        (spec.name, other): _name(config, spec, attempts[0], other)
        for spec in specs
        for other in attempts[1:]
    }
    kept = cache.get_many(names.values())
    missing: dict[str, list[UUID]] = {}
    for (spec_name, other), name in names.items():
        if name in kept:
            compared[spec_name][other] = _read(kept[name])
        else:
            missing.setdefault(spec_name, []).append(other)
    if not missing or config.truth_id is None:
        return compared
    packed = _packed(config, attempts)
    key = _key(config.truth_id) if attempts[0] in packed else b""
    for spec in specs if key else ():
        other_attempts = [other for other in missing.get(spec.name, ()) if other in packed]
        files = [packed[pk] for pk in (attempts[0], *other_attempts)]
        results = _compare(config, spec, key, files) if other_attempts else []
        for other, result in zip(other_attempts, results, strict=False):
            if not isinstance(result, Failure):
                compared[spec.name][other] = result
                written = {**result._asdict(), "comparison": asdict(result.comparison)}
                cache.set(names[spec.name, other], written, KEPT)
    return compared


def _compare(
    config: ScoringConfig, spec: TextSpec, key: bytes, files: Sequence[bytes]
) -> Sequence[ComparedFiles | Failure]:
    try:
        metric = find_prediction_metric(spec.id)
        results = predictions.compare_predictions(
            metric.entrypoint,
            spec.parameters,
            key,
            files,
            part=PART.value,
            timeout_ms=timeout_of(config),
        )
    except (SandboxError, UnknownPredictionMetric):
        return []
    return [] if isinstance(results, Failure) else results


def _packed(config: ScoringConfig, attempts: Sequence[UUID]) -> dict[UUID, bytes]:
    """The predictions that are packed in the order of the config's truth."""
    rows = SubmittedFile.objects.filter(
        pk__in=attempts, packed_for=packed_for(config.truth_id), predictions__isnull=False
    )
    packed = rows.values_list("pk", "predictions")
    return {pk: bytes(content) for pk, content in packed if content is not None}


def _key(truth_id: int) -> bytes:
    return bytes(Truth.objects.values_list("key", flat=True).get(pk=truth_id))


def _name(config: ScoringConfig, spec: TextSpec, first: UUID, other: UUID) -> str:
    about: Any = [config.truth_id, spec.id, dict(spec.parameters), str(first), str(other)]
    return f"compared-files:{hashlib.sha256(canonical(about)).hexdigest()}"


def _read(kept: Mapping[str, Any]) -> ComparedFiles:
    return ComparedFiles(kept["first"], kept["second"], Comparison(**kept["comparison"]))
