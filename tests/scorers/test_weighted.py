"""WeightedScorer compared with the source system's own results, and its intended differences."""

from typing import Any, cast

import pytest
from pydantic import ValidationError

from leaderboard.rules.plugins.entrypoints import normalise_entrypoint
from leaderboard.rules.plugins.results import CheckedResult, check_score
from scorers.protocol import AttemptMetrics, ScoringContext
from scorers.weighted import WeightedConfig, WeightedScorer
from tests.helpers.vectors import vectors

CONTEXT = cast(ScoringContext, {})
VECTORS = vectors("weighted_scorer")
FULL: AttemptMetrics = {"succeeded": True, "tokens_total": 1000, "elapsed_ms": 5000, "rating": 8}


def scored(metrics: AttemptMetrics, config: Any = None) -> CheckedResult:
    """Return the scorer's answer as the host checks and clamps it."""
    return check_score(WeightedScorer().score(metrics, config, CONTEXT))


def test_scores_equal_those_of_the_source_system() -> None:
    for vector in VECTORS:
        given, expected = vector["input"], vector["expected"]["value"]
        outcome = scored(given["metrics"], given["config"])
        assert outcome.value == pytest.approx(expected["score"], abs=vector["tolerance"])
        assert outcome.details == pytest.approx(expected["details"], abs=vector["tolerance"])
        assert normalise_entrypoint(given["entrypoint"]) == "scorers.weighted:WeightedScorer", (
            vector["name"]
        )


def test_only_success_gets_the_bonus() -> None:
    for succeeded in (False, None):
        assert scored({**FULL, "succeeded": True}).value == 165.0, succeeded
        assert scored({**FULL, "succeeded": succeeded}).value == 65.0, succeeded


def test_the_score_is_the_sum_of_its_details() -> None:
    details: dict[str, Any] = scored(FULL).details or {}
    gained = details["base"] + details["rating_contribution"]
    assert gained - details["time_penalty"] - details["token_penalty"] == 165.0


def test_a_null_weight_means_the_default() -> None:
    for name in WeightedConfig.model_fields:
        assert scored(FULL, {name: None}) == scored(FULL), name


def test_the_defaults_are_those_of_the_source_system() -> None:
    assert WeightedConfig().model_dump() == {
        "success_bonus": 100.0,
        "rating_weight": 10.0,
        "time_penalty": 1.0,
        "token_penalty": 0.01,
    }


def test_a_wrong_weight_is_refused_by_name() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"rating_weight": "10"}, "rating_weight"),
        ({"rating_weight": True}, "rating_weight"),
        ({"rating_weight": float("nan")}, "rating_weight"),
        ({"rating_weight": float("inf")}, "rating_weight"),
        ({"time_penalty": float("-inf")}, "time_penalty"),
        ({"rating_wieght": 10}, "rating_wieght"),
    ]
    for config, field in cases:
        with pytest.raises(ValidationError) as refused:
            WeightedConfig.model_validate(config)
        assert [error["loc"] for error in refused.value.errors()] == [(field,)], config
        with pytest.raises(ValidationError):
            scored(FULL, config)


def test_a_rating_may_lower_the_score() -> None:
    assert scored({"rating": 8}, {"rating_weight": -2}).raw_value == -16.0


def test_any_finite_weight_is_accepted_and_a_negative_penalty_is_a_bonus() -> None:
    cases: list[tuple[dict[str, Any], float]] = [
        ({"success_bonus": -1}, 64.0),
        ({"time_penalty": -0.5}, 172.5),
        ({"token_penalty": -0.01}, 185.0),
        ({"success_bonus": 1e300}, 1e300),
    ]
    for config, score in cases:
        assert scored(FULL, config).raw_value == pytest.approx(score), config
