"""Samples of tasks, and the cells (task × reward × sample) that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final, Literal, NamedTuple

from leaderboard.rules.rewards.runs import SampleRun

RewardState = Literal["undefined", "failed", "not_run"]
RewardCell = float | RewardState
Policy = Literal["zero", "exclude"]

MAX_SAMPLES = 100_000
"""Of one attempt."""
MAX_REWARDS = 500
MAX_NAME = 255
"""Characters of the name of a task or a reward."""

ONLY_REWARD = "reward"
"""The name of the only reward if no name is given."""


class Sample(NamedTuple):
    """One try at a task.

    rewards: by name, None for one that was not scored; None as a whole if the sample failed.
    usage: the reported ones of `tokens_total`, `elapsed_ms`, `cost_usd` and so on. run: how it was
    run, as far as it is known; stored apart from the other fields.
    """

    task: str
    sample: int
    rewards: Mapping[str, float | None] | None
    usage: Mapping[str, float | None] | None = None
    error: str = ""
    run: SampleRun | None = None


NUMBER: Final = attrgetter("sample")


class DeclaredTask(NamedTuple):
    """A task of a challenge and the rewards that each sample should have; empty if not declared.

    group: "" for a task without a group. weight: its weight in a weighted mean. cluster: tasks of
    one cluster are repeats of one source, not independent; "" for a task on its own.
    """

    name: str
    rewards: tuple[str, ...] = ()
    group: str = ""
    weight: float = 1.0
    cluster: str = ""


def metric_numbers(
    ordered: Sequence[Sample],
    states: Sequence[RewardCell],
    worth: Mapping[RewardCell, float | None],
    failed: Policy,
) -> list[float]:
    """The numbers of one task."""
    numbers = (
        number_of(cell, worth)
        for sample, cell in zip(ordered, states, strict=True)
        if failed == "zero" or sample.rewards is not None
    )
    return [value for value in numbers if value is not None]


def put_in_order(samples: list[Sample]) -> None:
    samples.sort(key=NUMBER)
    if len(set(map(NUMBER, samples))) == len(samples):
        return
    for one, other in pairwise(samples):
        if one.sample == other.sample:
            raise ValueError(f"task {one.task!r} has sample {one.sample} twice")


def cell_of(sample: Sample, reward: str, owed: bool, declared: bool) -> RewardCell:
    if sample.rewards is None:
        return "failed" if owed else "undefined"
    if reward not in sample.rewards:
        return "failed" if declared else "undefined"
    value = sample.rewards[reward]
    return "failed" if value is None else float(value)


def worth_of(failed: Policy, undefined: Policy) -> dict[RewardCell, float | None]:
    """The number that replaces a cell without a number; None: the cell is left out."""
    return {
        "failed": 0.0 if failed == "zero" else None,
        "undefined": 0.0 if undefined == "zero" else None,
    }


def number_of(cell: RewardCell, worth: Mapping[RewardCell, float | None]) -> float | None:
    return cell if isinstance(cell, float) else worth[cell]
