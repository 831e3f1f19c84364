"""The metrics, tasks and rank keys that a challenge declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Challenge
from leaderboard.services.challenges.challenges import change_challenge
from tests.services.conftest import Create
from tests.services.refusals import check_refusals

Make = Callable[..., Challenge]


@pytest.fixture
def make(create: Create) -> Make:
    by_mean = {"scoring_strategy": "metric", "metrics": ["mean"], "rank_by": [{"key": "mean"}]}
    return lambda **fields: create("Bench", **by_mean | fields)


def test_errors_name_the_wrong_fields(make: Make) -> None:
    """Other wrong entries of these lists: tests/schemas."""
    cases: list[tuple[Any, ...]] = [
        ({"metrics": ["mena"]}, "metrics.0.type", "under 'mena'. Available: avg, losses"),
        ({"metrics": ["bleu_nltk"]}, "metrics.0.type", 'got "BLEU_NLTK"', "text_metrics"),
        ({"metrics": ["mean", "mean"]}, "metrics.1"),
        ({"tasks": ["a"]}, "tasks.0"),
        ({"tasks": [{"name": "a"}, {"name": "a"}]}, "tasks.1.name"),
        ({"tasks": [{"name": "a", "git": "x"}]}, "tasks.0.git"),
        ({"tasks": [{"name": "a", "git_url": ""}]}, "tasks.0.git_url"),
        ({"tasks": [{"name": "a", "path": 5}]}, "tasks.0.path"),
        ({"tasks": [{"name": "a", "git_commit_id": "a\nb"}]}, "tasks.0.git_commit_id"),
        ({"tasks": [{"name": "a", "rewards": "x"}]}, "tasks.0.rewards"),
        ({"tasks": [{"name": "a", "rewards": [1]}]}, "tasks.0.rewards.0"),
        ({"rewards": [{"name": "a", "min": 1, "max": 0}]}, "rewards.0.max"),
        ({"num_samples": 0}, "num_samples"),
        ({"num_samples": True}, "num_samples"),
        ({"min_coverage": 1.5}, "min_coverage"),
        ({"min_coverage": 0.5, "metrics": [], "rank_by": [{"key": "x"}]}, "min_coverage"),
        ({"unknown_tasks": "drop"}, "unknown_tasks"),
        ({"rank_by": [{"key": "mean", "order": "asc"}]}, "rank_by.0.order"),
        *(
            ({"rank_by": [{"key": key}]}, "rank_by.0.key")
            for key in ("score", "not a name", "succeeded")
        ),
        ({"columns": [{"key": "not a name"}]}, "columns.0.key"),
    ]
    check_refusals(lambda fields: make(**fields), cases)


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
    tasks = [{"name": "a", "rewards": ["x"], **source}]
    change_challenge(challenge, user=None, fields={"tasks": tasks})
    assert (challenge.newest.number, challenge.newest.tasks) == (1, tasks)
    assert challenge.shown.tasks == tasks
    renamed = [{**tasks[0], "name": "b", "path": "tasks/b"}]
    change_challenge(challenge, user=None, fields={"tasks": renamed})
    assert (challenge.newest.number, challenge.newest.tasks) == (2, renamed)
