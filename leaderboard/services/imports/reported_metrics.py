"""Compares metric values that a result file states with ours from the same samples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import isclose
from typing import NamedTuple, TypedDict

from leaderboard.importers import ImportedAttempt
from leaderboard.importers.suggestions import SuggestedMetric
from leaderboard.rules.reductions import MetricValue, metric_values
from leaderboard.rules.rewards import RewardEvidence, Sample
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.services.plugins.metric_registry import reduce_of
from leaderboard.services.scripts.running import script_of

MAX_STATED = 200
TOLERANCE = 1e-6
"""The largest accepted difference, as files round and sums differ in their last digits."""


class FileMetricJson(TypedDict):
    """A `FileMetric`, as it is stored beside the attempt."""

    name: str
    stated: float
    ours: float | None
    differs: bool | None


class FileMetric(NamedTuple):
    """A value that a file states. differs: None if it has no counterpart among our metrics."""

    name: str
    stated: float
    ours: float | None
    differs: bool | None

    def as_json(self) -> FileMetricJson:
        return {
            "name": self.name,
            "stated": self.stated,
            "ours": self.ours,
            "differs": self.differs,
        }


def compared(one: ImportedAttempt) -> list[FileMetric]:
    """The metric values that the file of an imported attempt states, with ours if there are any."""
    return list(_compared(one))


def _compared(one: ImportedAttempt) -> Iterator[FileMetric]:
    @cache
    def evidence() -> RewardEvidence:
        return RewardEvidence(
            Sample(each["task"], each["sample"], each["rewards"], each["usage"], each["error"])
            for each in one.samples
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
    found = _ours(evidence, spec)
    return found["value"] if found else None


def _standard_error(evidence: RewardEvidence, spec: SuggestedMetric) -> float | None:
    """The standard error of our metric; None if there is none, as with a single task."""
    found = _ours(evidence, spec)
    return found["standard_error"] if found else None


def _ours(evidence: RewardEvidence, spec: SuggestedMetric) -> MetricValue | None:
    """The value of a built-in metric for evidence. spec: as in the file, with any name."""
    specs = parse_metrics([{**spec, "name": "ours"}])
    return metric_values(evidence, specs, reduce_of, script_of).get("ours")
