"""Keys that a challenge ranks by, its columns, and the values that participants may report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.errors import ServiceError
from tests.plugin_files import WORST_TASK, Install
from tests.services.conftest import Ranks, Run

Make = Callable[..., Challenge]


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(*rank_by: str, **fields: Any) -> Challenge:
        by = [{"key": key} for key in rank_by]
        plain = {"name": "Bench", "scoring_strategy": "metric", "rank_by": by}
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made


def errors(make: Make, *rank_by: str, **fields: Any) -> dict[str, list[str]]:
    with pytest.raises(ServiceError) as refused:
        make(*rank_by, **fields)
    return refused.value.fields


@pytest.mark.parametrize(
    "key", ["mean_reward", "pass@3", "pass^2:unbiased", "mean:physics", "pass_rate"]
)
def test_a_challenge_cannot_rank_by_a_metric_that_it_does_not_list(make: Make, key: str) -> None:
    name = "mean" if key == "mean:physics" else key
    (text,) = errors(make, key)["rank_by.0.key"]
    assert f'add "{name}" to metrics' in text
    assert f'{{"type": "{name}", "reported": "rank"}}' in text


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("mean_rewrad", "mean_reward"),
        ("pas@3", "pass@3"),
        ("ratnig", "rating"),
        ("phisycs", "physics"),
        ("cost_per_tsk", "cost_per_task"),
        ("mean:phisics", "mean:physics"),
        ("penalty_minuts", "penalty_minutes"),
    ],
)
def test_the_error_for_a_misspelt_key_suggests_the_right_one(
    make: Make, key: str, meant: str
) -> None:
    fields: dict[str, Any] = {
        "metrics": ["mean", {"type": "max", "name": "physics", "reward": "physics"}],
        "tasks": [{"name": "a", "rewards": ["physics", "chemistry"]}],
        "values": ["penalty_minutes"],
    }
    (text,) = errors(make, key, **fields)["rank_by.0.key"]
    assert f'did you mean "{meant}"?' in text
    columns = [{"key": key}]
    (text,) = errors(make, "rating", **fields, columns=columns)["columns.0.key"]
    assert f'did you mean "{meant}"?' in text
    if ":" not in key:
        declared = [*fields["values"], key]
        assert make(key, **fields | {"values": declared}, columns=columns).values == declared


def test_a_column_that_resembles_a_rank_key_is_refused(make: Make) -> None:
    (text,) = errors(make, "solved", columns=[{"key": "sovled"}])["columns.0.key"]
    assert 'did you mean "solved"?' in text


def test_a_key_that_resembles_no_other_is_a_reported_value(make: Make) -> None:
    keys = ("solved", "pass_rate_2", "total_cost", "train_minutes")
    challenge = make(*keys, columns=[{"key": "f1"}, {"key": "accuracy", "label": "Accuracy"}])
    assert challenge.newest.ranked_keys == list(keys)


def test_a_metric_of_one_reward_has_no_other_value(make: Make) -> None:
    physics = {"type": "mean", "name": "physics", "reward": "p"}
    (text,) = errors(make, "physics:q", metrics=[physics])["rank_by.0.key"]
    assert text.startswith('must be "physics", the only value')


def test_a_metric_of_several_rewards_has_no_value_without_a_reward_name(make: Make) -> None:
    tasks = [{"name": "a", "rewards": ["physics"]}, {"name": "b", "rewards": ["style"]}]
    (text,) = errors(make, "mean", metrics=["mean"], tasks=tasks)["rank_by.0.key"]
    assert text.startswith('must be one of "mean:physics", "mean:style": the tasks declare')
    of_style = {"type": "mean", "reward": "style"}
    assert make("mean", metrics=[of_style], tasks=tasks, name="One").newest.ranked_keys == ["mean"]
    stated = {"type": "mean", "reported": "rank"}
    assert make("mean", metrics=[stated], tasks=tasks, name="Two").newest.ranked_keys == ["mean"]


@pytest.mark.parametrize(
    ("values", "field", "text"),
    [
        ("solved", "values", "must be a list"),
        (["a b"], "values.0", 'got "a b"'),
        ([5], "values.0", "got 5"),
        (["solved", "solved"], "values.1", 'named once; got "solved" twice'),
        (["mean"], "values.0", 'got "mean", which is computed here'),
        (["elapsed_ms"], "values.0", 'got "elapsed_ms", which is computed here'),
        (["mean_reward"], "values.0", '{"type": "mean_reward", "reported": "rank"}'),
        (["CHRF"], "values.0", '{"id": "CHRF", "reported": "rank"}'),
        ([f"v{at}" for at in range(101)], "values", "at most 100"),
    ],
)
def test_declared_values_need_unused_names(make: Make, values: Any, field: str, text: str) -> None:
    found = errors(make, "mean", metrics=["mean"], values=values)
    assert list(found) == [field]
    assert text in found[field][0]


def test_declared_values_have_columns_and_are_stored(make: Make, run: Run) -> None:
    challenge = make("rating", values=["meen", "solved"])
    run(challenge, "atlas", values={"meen": 1.0, "solved": 2.0})
    change_challenge(challenge, user=None, fields={"summary": "x"})
    assert (challenge.values, challenge.newest.number) == (["meen", "solved"], 1)
    change_challenge(challenge, user=None, fields={"metrics": [{"type": "max", "name": "solved"}]})
    assert challenge.values == ["meen"]


@pytest.mark.parametrize("name", ["mean_reward", "pass@7", "max", "CHRF", "BLEU_NLTK:corpus_bleu"])
def test_a_value_with_the_name_of_a_metric_is_refused(make: Make, run: Run, name: str) -> None:
    challenge = make("solved")
    with pytest.raises(ServiceError, match="must not be the name of a metric") as refused:
        run(challenge, "atlas", values={name: 1.0})
    assert list(refused.value.fields) == [f"values.{name}"]
    assert '"reported": "rank"' in refused.value.message


def test_a_metric_of_a_plugin_is_known(make: Make, install_metrics: Install) -> None:
    install_metrics(house={"worst": WORST_TASK})
    (text,) = errors(make, "worst_task")["rank_by.0.key"]
    assert 'add "worst_task" to metrics' in text
    (text,) = errors(make, "worst_tsak")["rank_by.0.key"]
    assert 'did you mean "worst_task"?' in text


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

    @pytest.mark.parametrize("decimals", [-1, 10, 1.5, True, "2"])
    def test_invalid_decimals_are_refused(self, make: Make, decimals: Any) -> None:
        by = [{"key": "solved", "decimals": decimals}]
        assert list(errors(make, rank_by=by)) == ["rank_by.0.decimals"]
