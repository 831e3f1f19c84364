"""The values of suggested and stated metrics over the samples of an attempt."""

from __future__ import annotations

from leaderboard.importers import ImportedAttempt
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.rewards.reductions import Reduce, Script, in_process, metric_values
from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from scorers.metrics.registry import get_metric


def value_of(attempt: ImportedAttempt, spec: SuggestedMetric) -> float:
    """Return the value that a shipped metric gives, as a challenge with this metric computes it."""
    evidence = RewardEvidence(Sample(**row) for row in attempt.samples)
    values = metric_values(evidence, parse_metrics([spec]), _shipped, _no_script)
    value = values[spec["name"]]["value"]
    assert value is not None
    return value


def _shipped(spec: MetricSpec) -> Reduce:
    return in_process(get_metric(spec.type)())


def _no_script(spec: MetricSpec) -> Script:
    raise AssertionError(f"no file names a script: {spec}")
