"""The metrics, tasks and rank keys that a challenge declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.errors import ServiceError

Make = Callable[..., Challenge]


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(**fields: Any) -> Challenge:
        plain = {
            "name": "Bench",
            "scoring_strategy": "metric",
            "metrics": ["mean"],
            "rank_by": [{"key": "mean"}],
        }
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"metrics": ["mena"]}, "metrics.0.type"),
        ({"metrics": [{"type": "mean", "failed": "0"}]}, "metrics.0.failed"),
        ({"metrics": ["mean", "mean"]}, "metrics.1"),
        ({"metrics": "mean"}, "metrics"),
        ({"tasks": [{"name": "a"}, {"name": "a"}]}, "tasks.1.name"),
        ({"tasks": ["a"]}, "tasks.0"),
        ({"tasks": [{"name": "a", "git": "x"}]}, "tasks.0.git"),
        ({"rank_by": [{"key": "score", "order": "asc"}]}, "rank_by.0.order"),
        ({"rank_by": [{"key": "score"}]}, "rank_by.0.key"),
        ({"tasks": [{"name": "a", "git_url": ""}]}, "tasks.0.git_url"),
        ({"tasks": [{"name": "a", "path": 5}]}, "tasks.0.path"),
        ({"tasks": [{"name": "a", "git_commit_id": "a\nb"}]}, "tasks.0.git_commit_id"),
        ({"tasks": [{"name": "a", "rewards": ["x", "x"]}]}, "tasks.0.rewards"),
        ({"tasks": [{"name": "a", "rewards": "x"}]}, "tasks.0.rewards"),
        ({"tasks": [{"name": "a", "rewards": [1]}]}, "tasks.0.rewards.0"),
        ({"rewards": [{"name": "a", "min": 1, "max": 0}]}, "rewards.0.max"),
        ({"rewards": {"a": [0, 1]}}, "rewards"),
        ({"num_samples": 0}, "num_samples"),
        ({"num_samples": True}, "num_samples"),
        ({"min_coverage": 1.5, "metrics": ["mean"]}, "min_coverage"),
        ({"min_coverage": 0.5, "metrics": [], "rank_by": [{"key": "x"}]}, "min_coverage"),
        ({"unknown_tasks": "drop"}, "unknown_tasks"),
        ({"rank_by": [{"key": "not a name"}]}, "rank_by.0.key"),
        ({"rank_by": [{"key": "succeeded"}]}, "rank_by.0.key"),
        ({"columns": [{"key": "not a name"}]}, "columns.0.key"),
    ],
)
def test_errors_name_the_wrong_fields(make: Make, fields: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ServiceError) as refused:
        make(**fields)
    assert wrong in refused.value.fields


def test_the_error_for_an_unknown_metric_lists_the_known_ones(make: Make) -> None:
    with pytest.raises(
        ServiceError, match=r"No metric registered under 'mena'\. Available: avg, losses"
    ):
        make(metrics=["mena"])


def test_text_metrics_have_a_list_of_their_own(make: Make) -> None:
    with pytest.raises(
        ServiceError, match='got "BLEU_NLTK", a text metric: list it in text_metrics'
    ):
        make(metrics=["bleu_nltk"])


def test_a_change_of_metrics_makes_a_new_config(make: Make) -> None:
    challenge = make(metrics=["mean"], tasks=[{"name": "a"}])
    changes: list[dict[str, Any]] = [
        {"metrics": ["mean", "max"]},
        {"tasks": []},
        {"num_samples": 3},
        {"rewards": [{"name": "reward", "min": 0, "max": 1}]},
        {"min_coverage": 0.5},
        {"unknown_tasks": "keep"},
    ]
    for number, fields in enumerate(changes, start=2):
        change_challenge(challenge, user=None, fields=fields)
        assert challenge.newest.number == number
    change_challenge(challenge, user=None, fields={"num_samples": 3, "summary": "x"})
    assert challenge.newest.number == 7


def test_a_change_of_task_sources_makes_no_new_config(make: Make) -> None:
    """New sources are stored in the existing configs, so that no board waits for a rescore."""
    challenge = make(metrics=["mean"], tasks=[{"name": "a", "rewards": ["x"]}])
    source = {"git_url": "https://example.org/a.git", "git_commit_id": "abc123", "path": "tasks/a"}
    told = [{"name": "a", "rewards": ["x"], **source}]
    change_challenge(challenge, user=None, fields={"tasks": told})
    assert (challenge.newest.number, challenge.newest.tasks) == (1, told)
    assert challenge.shown.tasks == told
    renamed = [{**told[0], "name": "b", "path": "tasks/b"}]
    change_challenge(challenge, user=None, fields={"tasks": renamed})
    assert (challenge.newest.number, challenge.newest.tasks) == (2, renamed)
