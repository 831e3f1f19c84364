"""Boards in the form of published leaderboards, with small invented numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Challenge, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.challenges.challenges import create_challenge
from tests.services.conftest import Ranks, Rows, Run
from tests.services.refusals import check_refusals

Make = Callable[..., Challenge]


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(*rank_by: str, **fields: Any) -> Challenge:
        by = [{"key": key} for key in rank_by]
        plain = {"name": "Bench", "scoring_strategy": "metric", "rank_by": by}
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made


def grouped(**groups: list[str]) -> list[dict[str, Any]]:
    return [{"name": name, "group": group} for group, names in groups.items() for name in names]


def one_sample_each(scores: dict[str, float]) -> dict[str, list[float]]:
    """Return one sample for each task."""
    return {task: [score] for task, score in scores.items()}


def test_a_board_ranks_as_mteb_does(make: Make, run: Run, rows: Rows, ranks: Ranks) -> None:
    """MTEB ranks by the mean over tasks, the mean over types of tasks, and shows each type.

    A model that lacks tasks of a type has no rank in that type; only models with all tasks are
    ranked.
    """
    tasks = grouped(Retrieval=["NQ", "HotpotQA", "FEVER"], STS=["STS12"], Clustering=["Arxiv", "R"])
    names = ("Retrieval", "STS", "Clustering")
    types = [{"type": "mean", "name": name, "group": name, "min_coverage": 1.0} for name in names]
    whole = {"min_coverage": 1.0}
    challenge = make(
        "Mean (Task)",
        tasks=tasks,
        metrics=[
            {"type": "mean_reward", "name": "Mean (Task)", **whole},
            {"type": "mean_reward", "name": "Mean (TaskType)", "over": "groups", **whole},
            *types,
        ],
    )
    run(
        challenge,
        "large",
        task_rewards=one_sample_each(
            {"NQ": 60, "HotpotQA": 70, "FEVER": 80, "STS12": 90, "Arxiv": 40, "R": 50}
        ),
    )
    run(
        challenge,
        "small",
        task_rewards=one_sample_each(
            {"NQ": 50, "HotpotQA": 60, "FEVER": 70, "STS12": 95, "Arxiv": 30, "R": 45}
        ),
    )
    run(
        challenge,
        "part",
        task_rewards=one_sample_each({"NQ": 99, "HotpotQA": 99, "FEVER": 99, "STS12": 99}),
    )
    assert ranks(challenge) == {"large": 1, "small": 2, "part": None}
    by_name = rows(challenge)
    large = by_name["large"]
    assert large.values["Mean (Task)"] == pytest.approx((60 + 70 + 80 + 90 + 40 + 50) / 6)
    assert large.values["Mean (TaskType)"] == pytest.approx((70 + 90 + 45) / 3)
    assert [large.values[name] for name in names] == [70, 90, 45]
    assert large.cells["Retrieval"]["total"] == 3
    part = by_name["part"]
    assert part.unranked == "low_coverage"
    assert part.values["Retrieval"] == 99
    assert part.cells["Retrieval"] == part.cells["Retrieval"] | {"defined": 3, "total": 3}
    assert "not_ranked" not in part.cells["Retrieval"]
    assert part.cells["Mean (TaskType)"]["not_ranked"] == "low_coverage"
    assert (part.cells["Clustering"]["reason"], part.values.get("Clustering")) == ("not_run", None)


def test_means_are_those_of_mmlu(make: Make, run: Run, rows: Rows) -> None:
    """Questions are samples of subjects: micro over questions, macro over subjects, by category."""
    tasks = grouped(STEM=["algebra", "physics"], Humanities=["law"])
    challenge = make(
        "micro",
        tasks=tasks,
        metrics=[
            {"type": "mean", "name": "micro"},
            {"type": "mean_reward", "name": "macro"},
            {"type": "mean", "name": "STEM", "group": "STEM"},
            {"type": "mean", "name": "Humanities", "group": "Humanities"},
            {"type": "mean", "name": "categories", "over": "groups"},
        ],
    )
    answers = {"algebra": [1.0, 0.0], "physics": [1.0, 1.0, 1.0, 0.0], "law": [1.0, 1.0, 0.0, 0.0]}
    run(challenge, "atlas", task_rewards=answers)
    values = rows(challenge)["atlas"].values
    assert values == pytest.approx(
        {
            "micro": 6 / 10,
            "macro": (0.5 + 0.75 + 0.5) / 3,
            "STEM": 4 / 6,
            "Humanities": 0.5,
            "categories": (4 / 6 + 0.5) / 2,
        }
    )


def test_a_board_shows_groups_as_helm_does(make: Make, run: Run, rows: Rows) -> None:
    """HELM has core scenarios with a measure each, and their means by group.

    HELM's mean win rate compares participants with each other: no metric of one attempt can compute
    it.
    """
    tasks = [
        {"name": "mmlu", "group": "Knowledge", "rewards": ["exact_match"]},
        {"name": "boolq", "group": "Knowledge", "rewards": ["exact_match"]},
        {"name": "narrative_qa", "group": "Reading", "rewards": ["f1"]},
        {"name": "cnn", "group": "Summaries", "rewards": ["rouge_2"]},
    ]
    groups = {"Knowledge": "exact_match", "Reading": "f1", "Summaries": "rouge_2"}
    challenge = make(
        "Knowledge",
        tasks=tasks,
        min_coverage=1.0,
        metrics=[
            {"type": "mean_reward", "name": name, "group": name, "reward": reward}
            for name, reward in groups.items()
        ],
    )
    samples = [
        Sample("mmlu", 0, {"exact_match": 0.7}),
        Sample("boolq", 0, {"exact_match": 0.9}),
        Sample("narrative_qa", 0, {"f1": 0.6}),
        Sample("cnn", 0, {"rouge_2": 0.2}),
    ]
    run(challenge, "atlas", samples=samples)
    row = rows(challenge)["atlas"]
    assert row.rank == 1
    assert row.values == pytest.approx({"Knowledge": 0.8, "Reading": 0.6, "Summaries": 0.2})
    over = {key: (cell["defined"], cell["total"]) for key, cell in row.cells.items()}
    assert over == {"Knowledge": (2, 2), "Reading": (1, 1), "Summaries": (1, 1)}


def test_a_board_shows_pass_rates_as_mcpmark_does(make: Make, run: Run, rows: Rows) -> None:
    """MCPMark runs each task four times: pass@1, pass@4 and pass^4, over everything and by
    service."""
    tasks = grouped(Notion=["n1", "n2"], GitHub=["g1"])
    measures = ("pass@1:unbiased", "pass@4", "pass^4")
    metrics: list[Any] = [*measures]
    metrics += [
        {"type": type_, "name": f"{service} {type_}", "group": service}
        for service in ("Notion", "GitHub")
        for type_ in measures
    ]
    challenge = make("pass@1:unbiased", tasks=tasks, metrics=metrics, num_samples=4)
    run(
        challenge,
        "atlas",
        task_rewards={"n1": [1.0, 1.0, 0.0, 0.0], "n2": [1.0] * 4, "g1": [0.0, 0.0, 0.0, 1.0]},
    )
    row = rows(challenge)["atlas"]
    assert row.values == pytest.approx(
        {
            "pass@1:unbiased": (0.5 + 1 + 0.25) / 3,
            "pass@4": 1.0,
            "pass^4": 1 / 3,
            "Notion pass@1:unbiased": 0.75,
            "Notion pass@4": 1.0,
            "Notion pass^4": 0.5,
            "GitHub pass@1:unbiased": 0.25,
            "GitHub pass@4": 1.0,
            "GitHub pass^4": 0.0,
        }
    )
    assert row.cells["Notion pass^4"]["total"] == 2


def test_weights_of_tasks_count_in_a_weighted_mean(make: Make, run: Run, rows: Rows) -> None:
    tasks = [{"name": "a", "weight": 3}, {"name": "b"}]
    challenge = make("weighted_mean", tasks=tasks, metrics=["weighted_mean", "mean"])
    run(challenge, "atlas", task_rewards={"a": [1.0], "b": [0.0]})
    assert rows(challenge)["atlas"].values == {"weighted_mean": 0.75, "mean": 0.5}


def test_a_pairwise_arena_is_a_board_of_wins_ties_and_losses(
    make: Make, run: Run, rows: Rows
) -> None:
    """A battle is a sample: 1 for a win, 0.5 for a tie, 0 for a loss."""
    challenge = make("mean", metrics=["mean", "wins", "ties", "losses"])
    run(challenge, "atlas", task_rewards={"q1": [1.0, 0.5], "q2": [0.0, 1.0]})
    values = rows(challenge)["atlas"].values
    assert values == {"mean": 0.625, "wins": 2.0, "ties": 1.0, "losses": 1.0}


def test_errors_name_the_wrong_metrics(make: Make) -> None:
    cases = [
        ({"type": "mean", "group": "Nothing"}, "metrics.0.group"),
        ({"type": "mean", "group": ""}, "metrics.0.group"),
        ({"type": "mean", "over": "tasks"}, "metrics.0.over"),
        ({"type": "mean", "over": "groups", "group": "STEM"}, "metrics.0.over"),
        ({"type": "mean", "min_coverage": 0}, "metrics.0.min_coverage"),
        ({"type": "mean", "min_coverage": 1.1}, "metrics.0.min_coverage"),
        ({"type": "mean", "min_coverage": True}, "metrics.0.min_coverage"),
        ({"type": "mean", "reported": True}, "metrics.0.reported"),
    ]
    tasks = grouped(STEM=["algebra"])
    check_refusals(lambda metric: make("mean", tasks=tasks, metrics=[metric]), cases)
    without_groups = [({"type": "mean", "over": "groups"}, "metrics.0.over", "no task has a group")]
    check_refusals(
        lambda metric: make("mean", tasks=[{"name": "a"}], metrics=[metric]), without_groups
    )


def test_errors_name_the_wrong_tasks(make: Make) -> None:
    cases = [
        ({"name": "a", "group": 5}, "tasks.0.group"),
        ({"name": "a", "group": " x"}, "tasks.0.group"),
        ({"name": "a", "weight": -1}, "tasks.0.weight"),
        ({"name": "a", "weight": True}, "tasks.0.weight"),
        ({"name": "a", "wait": 1}, "tasks.0.wait"),
    ]
    check_refusals(lambda task: make("mean", metrics=["mean"], tasks=[task]), cases)
