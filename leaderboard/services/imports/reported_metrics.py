"""Compare the metric values in a result file with Podium's own values for the same samples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import isclose
from typing import NamedTuple

from leaderboard.importers import ImportedAttempt
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.rules.json.stored import StoredFileMetric
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.rewards.reductions import MetricValue, metric_values
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.services.plugins.metric_registry import reduce_of
from leaderboard.services.scripts.running import script_of

MAX_STATED = 200
TOLERANCE = 1e-6
"""The largest difference, relative or absolute, of equal values: tools round differently."""


class FileMetric(NamedTuple):
    """A metric value in a file, and Podium's. differs: None if Podium has no such metric."""

    name: str
    stated: float
    ours: float | None
    differs: bool | None

    def as_json(self) -> StoredFileMetric:
        return {
            "name": self.name,
            "stated": self.stated,
            "ours": self.ours,
            "differs": self.differs,
        }


def compared(one: ImportedAttempt) -> list[FileMetric]:
    """The metric values in the file of an imported attempt, with Podium's if it has them."""
    return list(_compared(one))


def _compared(one: ImportedAttempt) -> Iterator[FileMetric]:
    @cache
    def evidence() -> RewardEvidence:
        return RewardEvidence(
            Sample(row["task"], row["sample"], row["rewards"], row["usage"], row["error"])
            for row in one.samples
        )

    for name, value in list(one.file_metrics.items())[:MAX_STATED]:
        spec, of_error = one.specs.get(name), one.error_specs.get(name)
        ours = None
        if spec and one.samples:
            ours = _value(evidence(), spec)
        elif of_error and one.samples:
            ours = _standard_error(evidence(), of_error)
        if ours is None and (spec is None or not one.samples):
            yield FileMetric(name, value, None, None)
            continue
        same = ours is not None and isclose(ours, value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        yield FileMetric(name, value, ours, not same)


def _value(evidence: RewardEvidence, spec: SuggestedMetric) -> float | None:
    computed = _ours(evidence, spec)
    return computed["value"] if computed else None


def _standard_error(evidence: RewardEvidence, spec: SuggestedMetric) -> float | None:
    """The standard error of our metric; None if there is none, as with a single task."""
    computed = _ours(evidence, spec)
    return computed["standard_error"] if computed else None


def _ours(evidence: RewardEvidence, spec: SuggestedMetric) -> MetricValue | None:
    """The value of a built-in metric for evidence. spec: as in the file, with any name."""
    specs = parse_metrics([{**spec, "name": "ours"}])
    return metric_values(evidence, specs, reduce_of, script_of).get("ours")
