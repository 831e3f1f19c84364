"""The metrics that a result file states, beside what ours compute from the same samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import isclose
from typing import Any, NamedTuple

from leaderboard.importers import ImportedAttempt
from leaderboard.rules.metric_specs import parse_metrics
from leaderboard.rules.reductions import MetricValue, metric_values
from leaderboard.rules.rewards import RewardEvidence, Sample
from leaderboard.services.plugins.metric_registry import reduce_of
from leaderboard.services.scripts.running import script_of

MAX_STATED = 200
TOLERANCE = 1e-6
"""Files round; sums differ in their last digits."""


class FileMetric(NamedTuple):
    """A value that a file states. differs: None where none of our metrics should equal it."""

    name: str
    stated: float
    ours: float | None
    differs: bool | None

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def compared(one: ImportedAttempt) -> list[FileMetric]:
    """The metrics that the file of an imported attempt states, each beside ours if there is one."""
    return list(_compared(one))


def _compared(one: ImportedAttempt) -> Iterator[FileMetric]:
    @cache
    def evidence() -> RewardEvidence:
        fields = ("task", "sample", "rewards", "usage", "error")
        return RewardEvidence(Sample(*(each[name] for name in fields)) for each in one.samples)

    for name, value in list(one.file_metrics.items())[:MAX_STATED]:
        spec, of_error = one.specs.get(name), one.error_specs.get(name)
        if (spec or of_error) is None or not one.samples:
            yield FileMetric(name, value, None, None)
            continue
        ours = _value(evidence(), spec) if spec else _standard_error(evidence(), of_error or {})
        if ours is None and spec is None:
            yield FileMetric(name, value, None, None)
            continue
        same = ours is not None and isclose(ours, value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        yield FileMetric(name, value, ours, not same)


def _value(evidence: RewardEvidence, spec: Mapping[str, Any]) -> float | None:
    found = _ours(evidence, spec)
    return found["value"] if found else None


def _standard_error(evidence: RewardEvidence, spec: Mapping[str, Any]) -> float | None:
    """None also if our metric has none, as with a single task."""
    found = _ours(evidence, spec)
    return found["standard_error"] if found else None


def _ours(evidence: RewardEvidence, spec: Mapping[str, Any]) -> MetricValue | None:
    """What a built-in metric computes from evidence, whatever name the file uses."""
    specs = parse_metrics([{**spec, "name": "ours"}])
    return metric_values(evidence, specs, reduce_of, script_of).get("ours")
