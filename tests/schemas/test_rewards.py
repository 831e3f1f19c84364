"""The bounds that a challenge may declare for its rewards."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from leaderboard.rules.rewards.evidence import Policy, RewardEvidence, Sample
from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval
from leaderboard.schemas.rewards import DeclaredReward, parse_rewards
from tests.schemas.refusals import refused


def test_either_bound_may_be_absent() -> None:
    entries = [
        {"name": "physics", "min": 0, "max": 100},
        {"name": "elo", "min": None},
        {"name": "loss", "max": -0.5},
        {"name": "gain", "min": 1_000_000},
    ]
    rewards = parse_rewards(entries)
    assert [reward.bounds for reward in rewards] == [(0, 100), UNBOUNDED, (-inf, -0.5), (1e6, inf)]
    ranges = ["from 0 to 100", "", "-0.5 or less", "1000000 or more"]
    assert [reward.range for reward in rewards] == ranges
    assert parse_rewards([]) == ()


def test_the_bounds_are_inclusive() -> None:
    reward = DeclaredReward(name="physics", min=0, max=100)
    assert [reward.holds(value) for value in (-0.001, 0, 50, 100, 100.5)] == [
        *(False, True, True, True, False)
    ]
    assert DeclaredReward(name="any").holds(-1e308)


def test_errors_name_the_wrong_bound() -> None:
    cases: list[tuple[Any, str, str]] = [
        ({}, "rewards", "got an object"),
        (["physics"], "rewards.0", "must be an object"),
        ([{"min": 0}], "rewards.0.name", "is required; got nothing"),
        ([{"name": "a\n"}], "rewards.0.name", "must be a text"),
        ([{"name": "a"}, {"name": "a"}], "rewards.1.name", 'got "a" twice'),
        ([{"name": "a", "low": 0}], "rewards.0.low", '(name, min, max); got "low"'),
        ([{"name": "a", "min": "0"}], "rewards.0.min", "or null; got"),
        ([{"name": "a", "min": True}], "rewards.0.min", "must be a finite number"),
        ([{"name": "a", "max": nan}], "rewards.0.max", "must be a finite number"),
        ([{"name": "a", "max": inf}], "rewards.0.max", "must be a finite number"),
        ([{"name": "a", "max": 10**400}], "rewards.0.max", "must be a finite number"),
        ([{"name": "a", "min": 1, "max": 1}], "rewards.0.max", "got min 1 and max 1"),
        ([{"name": "a", "min": 2, "max": 1}], "rewards.0.max", "must be above min"),
        ([{"name": str(number)} for number in range(501)], "rewards", "got 501"),
    ]
    for entries, field, message in cases:
        error = refused(parse_rewards, entries)
        assert error.field == field, error.message
        assert message in error.message


def test_a_metric_may_see_zeros_outside_the_bounds() -> None:
    cases: list[tuple[Policy, Policy, Interval]] = [
        ("exclude", "exclude", (1.0, 5.0)),
        ("zero", "exclude", (0.0, 5.0)),
        ("exclude", "zero", (0.0, 5.0)),
    ]
    for failed, undefined, expected in cases:
        samples = [Sample("a", 0, {"stars": 4.0, "other": 1.0})]
        evidence = RewardEvidence(samples, bounds={"stars": (1.0, 5.0)})
        assert (
            evidence.metric_input("stars", failed=failed, undefined=undefined).bounds == expected
        ), failed
        assert evidence.metric_input("other").bounds == UNBOUNDED, failed
        assert evidence.metric_input("absent").bounds == UNBOUNDED, failed
