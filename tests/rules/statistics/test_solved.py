"""What solves a task: the declared bound on the side of the direction, never the values reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from leaderboard.rules.ranking.board_summaries import FAILED, NOT_RUN, UNDEFINED
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample
from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.rewards.samples import DeclaredTask, Policy
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.statistics.solved import entry_tasks, solved_percentages, task_scale
from scorers.metrics.mean import Mean
from scorers.metrics.pass_at import PassAt
from scorers.metrics.pass_rate import PassRate

Rewards = Mapping[str, Sequence[float | None]]


def percentages(
    rewards: Rewards,
    bounds: Mapping[str, Interval] | None = None,
    direction: Direction = "desc",
    metric: Any = None,
    failed: Policy = "zero",
    undefined: Policy = "exclude",
    declared: Sequence[DeclaredTask] = (),
) -> dict[str, int] | None:
    samples = (
        Sample(task, number, None if value is None else {"r": value})
        for task, values in rewards.items()
        for number, value in enumerate(values)
    )
    evidence = RewardEvidence(samples, declared, bounds=bounds or {}, tasks=rewards)
    entry = entry_tasks(
        metric or Mean(), evidence, "r", failed=failed, undefined=undefined, group=None
    )
    scale = task_scale(direction, [entry])
    if scale is None:
        return None
    assert scale.worst is not None
    return solved_percentages(entry, scale)


HUNDRED = {"r": (0.0, 100.0)}


@pytest.mark.parametrize(
    ("rewards", "options", "expected"),
    [
        ({"a": [48.0], "b": [100.0], "c": [0.0]}, {"bounds": HUNDRED}, [48, 100, 0]),
        ({"a": [48.0], "b": [100.0]}, {"bounds": HUNDRED, "direction": "asc"}, [52, 0]),
        ({"a": [0.0], "b": [None]}, {"bounds": HUNDRED, "direction": "asc"}, [100, FAILED]),
        ({"a": [0.0, None]}, {"bounds": HUNDRED, "direction": "asc"}, [99]),
        ({"a": [0.0, None]}, {"bounds": HUNDRED, "direction": "asc", "failed": "exclude"}, [100]),
        ({"a": [-1.0], "b": [1.0], "c": [0.0]}, {"bounds": {"r": (-1.0, 1.0)}}, [0, 100, 50]),
        ({"a": [120.0]}, {"bounds": HUNDRED}, [100]),
        ({"a": [1.0], "b": [0.25], "c": []}, {}, [100, 25, NOT_RUN]),
        ({"a": [0.0], "b": [0.25]}, {"direction": "asc"}, [100, 75]),
        ({"a": [48.0], "b": [74.0]}, {}, None),
        ({"a": [48.0], "b": [74.0]}, {"direction": "asc"}, None),
        ({"a": [1.0, 0.0], "b": [2.5, 2.5]}, {"metric": PassRate()}, [50, 100]),
        ({"a": [1.0, None], "b": [None, 1.0]}, {"metric": PassAt()}, [100, 0]),
    ],
)
def test_how_far_tasks_are_solved(
    rewards: Rewards, options: Mapping[str, Any], expected: Sequence[int] | None
) -> None:
    solved = percentages(rewards, **options)
    assert (None if solved is None else [*solved.values()]) == expected


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_an_undefined_reward_is_undefined_even_where_it_counts_as_zero(
    direction: Direction,
) -> None:
    declared = [DeclaredTask("a", ("r",)), DeclaredTask("b", ("other",))]
    samples = [Sample("a", 0, {"r": 1.0}), Sample("b", 0, {"other": 1.0})]
    evidence = RewardEvidence(samples, declared)
    entry = entry_tasks(Mean(), evidence, "r", failed="zero", undefined="zero", group=None)
    scale = task_scale(direction, [entry])
    assert scale is not None
    assert solved_percentages(entry, scale)["b"] == UNDEFINED


def test_other_entries_do_not_change_what_solves_a_task() -> None:
    def entry(value: float) -> Any:
        evidence = RewardEvidence([Sample("a", 0, {"r": value})], bounds=HUNDRED)
        return entry_tasks(Mean(), evidence, "r", failed="zero", undefined="exclude", group=None)

    low, high = entry(20.0), entry(50.0)
    for entries in ([low], [low, high]):
        scale = task_scale("desc", entries)
        assert scale is not None
        assert solved_percentages(low, scale) == {"a": 20}
