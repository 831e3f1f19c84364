"""EfficiencyScorer: costs reduce the score continuously, and an unknown cost is not zero."""

from typing import Any, cast

import pytest

from leaderboard.sandbox.child.configs import fill
from scorers.efficiency import EfficiencyScorer
from scorers.protocol import AttemptMetrics, ScoringContext

CONTEXT = cast(ScoringContext, {})


def score(config: dict[str, Any] | None = None, /, **metrics: Any) -> float:
    facts = cast(AttemptMetrics, metrics)
    return EfficiencyScorer().score(facts, fill(EfficiencyScorer, config or {}), CONTEXT)["score"]


def test_the_price_reduces_the_quality() -> None:
    cases: list[tuple[dict[str, Any], float]] = [
        ({"succeeded": True, "rating": 8, "cost_usd": 0}, 80.0),
        ({"succeeded": True, "rating": 8, "cost_usd": 0.1}, 40.0),
        ({"succeeded": True, "rating": 8, "cost_usd": 0.3}, 20.0),
        ({"succeeded": True, "cost_usd": 0}, 100.0),
        ({"succeeded": True, "rating": 0, "cost_usd": 0}, 0.0),
        ({"succeeded": True, "rating": 8}, 0.0),
        ({"succeeded": True, "rating": 8, "cost_usd": None}, 0.0),
        ({"succeeded": False, "rating": 8, "cost_usd": 0}, 0.0),
        ({}, 0.0),
    ]
    for metrics, expected in cases:
        assert score(**metrics) == pytest.approx(expected, abs=1e-12), metrics


def test_cheaper_is_always_better_and_never_below_zero() -> None:
    prices = [0, 0.001, 0.05, 0.1, 1, 100, 1e15]
    scores = [score(succeeded=True, rating=9, cost_usd=price) for price in prices]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert scores[-1] > 0


def test_the_challenge_sets_the_price_that_halves_the_score() -> None:
    assert score({"half_cost_usd": 2}, succeeded=True, cost_usd=2) == 50.0
    assert score({"half_cost_usd": None}, succeeded=True, cost_usd=0.1) == 50.0


def test_an_invalid_halving_price_gives_no_score() -> None:
    for half in (0, -1):
        with pytest.raises(ValueError, match="half_cost_usd"):
            score({"half_cost_usd": half}, succeeded=True, cost_usd=1)


def test_the_details_are_the_factors_of_the_score() -> None:
    metrics: AttemptMetrics = {"succeeded": True, "rating": 8, "cost_usd": 0.1}
    outcome = EfficiencyScorer().score(metrics, fill(EfficiencyScorer, {}), CONTEXT)
    assert outcome["details"] == {"quality": 80.0, "cost_usd": 0.1, "share_kept": 0.5}
