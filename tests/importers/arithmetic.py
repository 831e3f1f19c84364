"""The values of suggested and stated metrics over the samples of an attempt."""

from __future__ import annotations

from leaderboard.importers import ImportedAttempt
from leaderboard.importers.reading.suggestions import SuggestedMetric
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from tests.rules.rewards_of import values_of


def value_of(attempt: ImportedAttempt, spec: SuggestedMetric) -> float:
    """Return the value that a shipped metric gives, as a challenge with this metric computes it."""
    evidence = RewardEvidence(Sample(**row) for row in attempt.samples)
    value = values_of(evidence, spec)[spec["name"]]["value"]
    assert value is not None
    return value
