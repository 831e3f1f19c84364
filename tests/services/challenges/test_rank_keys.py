"""Keys that a challenge ranks by, its columns, and the values that participants may report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Challenge
from leaderboard.services.challenges.challenges import change_challenge
from tests.plugin_files import WORST_TASK, Install
from tests.services.conftest import Create, Ranks, Run
from tests.services.refusals import check_refusals, refusal

Make = Callable[..., Challenge]


@pytest.fixture
def make(create: Create) -> Make:
    def made(*rank_by: str, **fields: Any) -> Challenge:
        by = [{"key": key} for key in rank_by]
        return create(**{"name": "Bench", "scoring_strategy": "metric", "rank_by": by} | fields)

    return made


def errors(make: Make, *rank_by: str, **fields: Any) -> dict[str, list[str]]:
    return refusal(lambda: make(*rank_by, **fields)).fields


def test_a_challenge_cannot_rank_by_a_metric_that_it_does_not_list(make: Make) -> None:
    for key in ("mean_reward", "pass@3", "pass^2:unbiased", "mean:physics", "pass_rate"):
        name = "mean" if key == "mean:physics" else key
        parts = (f'"{name}" to metrics', f'{{"type": "{name}", "reported": "rank"}}')
        check_refusals(make, [(key, "rank_by.0.key", *parts)])


def test_the_error_for_a_misspelt_key_suggests_the_right_one(make: Make) -> None:
    fields: dict[str, Any] = {
        "metrics": ["mean", {"type": "max", "name": "physics", "reward": "physics"}],
        "tasks": [{"name": "a", "rewards": ["physics", "chemistry"]}],
        "values": ["penalty_minutes"],
    }
    misspelt = {
        "mean_rewrad": "mean_reward",
        "pas@3": "pass@3",
        "ratnig": "rating",
        "phisycs": "physics",
        "cost_per_tsk": "cost_per_task",
        "mean:phisics": "mean:physics",
        "penalty_minuts": "penalty_minutes",
    }
    for key, meant in misspelt.items():
        columns = [{"key": key}]
        (text,) = errors(make, key, **fields)["rank_by.0.key"]
        assert f'did you mean "{meant}"?' in text
        (text,) = errors(make, "rating", **fields, columns=columns)["columns.0.key"]
        assert f'did you mean "{meant}"?' in text
        if ":" not in key:
            declared = [*fields["values"], key]
            challenge = make(key, **fields | {"values": declared}, columns=columns)
            assert challenge.values == declared


def test_a_column_that_resembles_a_rank_key_is_refused(make: Make) -> None:
    (text,) = errors(make, "solved", columns=[{"key": "sovled"}])["columns.0.key"]
    assert 'did you mean "solved"?' in text


def test_a_key_that_resembles_no_other_is_a_reported_value(make: Make) -> None:
    keys = ("solved", "pass_rate_2", "total_cost", "train_minutes")
    challenge = make(*keys, columns=[{"key": "f1"}, {"key": "accuracy", "label": "Accuracy"}])
    assert challenge.newest.ranked_keys == list(keys)


def test_a_metric_has_the_values_of_its_rewards(make: Make) -> None:
    physics = {"type": "mean", "name": "physics", "reward": "p"}
    (text,) = errors(make, "physics:q", metrics=[physics])["rank_by.0.key"]
    assert '"physics", the only value' in text
    tasks = [{"name": "a", "rewards": ["physics"]}, {"name": "b", "rewards": ["style"]}]
    (text,) = errors(make, "mean", metrics=["mean"], tasks=tasks)["rank_by.0.key"]
    assert '"mean:physics", "mean:style"' in text
    of_style = {"type": "mean", "reward": "style"}
    assert make("mean", metrics=[of_style], tasks=tasks, name="One").newest.ranked_keys == ["mean"]
    stated = {"type": "mean", "reported": "rank"}
    assert make("mean", metrics=[stated], tasks=tasks, name="Two").newest.ranked_keys == ["mean"]


def test_declared_values_need_unused_names(make: Make) -> None:
    cases = [
        ("solved", "values", "a list"),
        (["a b"], "values.0", 'got "a b"'),
        ([5], "values.0", "got 5"),
        (["solved", "solved"], "values.1", 'got "solved" twice'),
        (["mean"], "values.0", 'got "mean", which'),
        (["elapsed_ms"], "values.0", 'got "elapsed_ms", which'),
        (["mean_reward"], "values.0", '{"type": "mean_reward", "reported": "rank"}'),
        (["CHRF"], "values.0", '{"id": "CHRF", "reported": "rank"}'),
        ([f"v{at}" for at in range(101)], "values", "at most 100"),
    ]
    check_refusals(lambda values: make("mean", metrics=["mean"], values=values), cases)


def test_declared_values_have_columns_and_are_stored(make: Make, run: Run) -> None:
    challenge = make("rating", values=["meen", "solved"])
    run(challenge, "atlas", values={"meen": 1.0, "solved": 2.0})
    change_challenge(challenge, user=None, fields={"summary": "x"})
    assert (challenge.values, challenge.newest.number) == (["meen", "solved"], 1)
    change_challenge(challenge, user=None, fields={"metrics": [{"type": "max", "name": "solved"}]})
    assert challenge.values == ["meen"]


def test_a_value_with_the_name_of_a_metric_is_refused(make: Make, run: Run) -> None:
    challenge = make("solved")
    names = ("mean_reward", "pass@7", "max", "CHRF", "BLEU_NLTK:corpus_bleu")
    check_refusals(
        lambda name: run(challenge, "atlas", values={name: 1.0}),
        [(name, f"values.{name}", '"reported": "rank"') for name in names],
    )


def test_a_metric_of_a_plugin_is_known(make: Make, install_metrics: Install) -> None:
    install_metrics(house={"worst": WORST_TASK})
    cases = [
        ("worst_task", "rank_by.0.key", '"worst_task" to metrics'),
        ("worst_tsak", "rank_by.0.key", 'did you mean "worst_task"?'),
    ]
    check_refusals(make, cases)


class TestDecimals:
    def test_values_are_compared_as_rounded(self, make: Make, run: Run, ranks: Ranks) -> None:
        by = [{"key": "solved", "decimals": 1}, {"key": "minutes", "direction": "asc"}]
        challenge = make(rank_by=by)
        run(challenge, "a", values={"solved": 9.04, "minutes": 30.0})
        run(challenge, "b", values={"solved": 8.96, "minutes": 20.0})
        run(challenge, "c", values={"solved": 8.94, "minutes": 1.0})
        assert ranks(challenge) == {"b": 1, "a": 2, "c": 3}

    def test_a_preset_accepts_decimals_for_its_own_key(
        self, make: Make, run: Run, ranks: Ranks
    ) -> None:
        by = [{"key": "rating", "direction": "desc", "decimals": 0}]
        challenge = make(scoring_strategy="highest_rating", rank_by=by)
        run(challenge, "a", metrics={"succeeded": True, "rating": 7.6})
        run(challenge, "b", metrics={"succeeded": True, "rating": 8.4})
        assert ranks(challenge) == {"a": 1, "b": 1}
        change_challenge(challenge, user=None, fields={"summary": "x", "timeout_ms": 900})
        assert challenge.newest.rank_by == by
        change_challenge(challenge, user=None, fields={"scoring_strategy": "first"})
        assert challenge.newest.rank_by == []

    def test_a_preset_accepts_only_its_own_order(self, make: Make) -> None:
        own = [{"key": "rating", "direction": "desc"}]
        assert make(scoring_strategy="highest_rating", rank_by=own).newest.rank_by == []
        for other in ({"key": "rating", "direction": "asc"}, {"key": "cost_usd"}):
            fields = {"scoring_strategy": "highest_rating", "rank_by": [other]}
            assert list(errors(make, **fields)) == ["rank_by"]

    def test_invalid_decimals_are_refused(self, make: Make) -> None:
        check_refusals(
            lambda decimals: make(rank_by=[{"key": "solved", "decimals": decimals}]),
            [(decimals, "rank_by.0.decimals") for decimals in (-1, 10, 1.5, True, "2")],
        )
