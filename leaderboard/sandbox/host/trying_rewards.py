"""Try a metric, or a prepared metric script, on the rewards of an attempt.

If it fails, each task is tried alone, which finds the first task whose rewards alone make it fail
in the same way.
"""

import json
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, NamedTuple

from leaderboard.rules.json.untyped_dicts import ForeignObject
from leaderboard.rules.json.values import JsonObject
from leaderboard.sandbox.contract import Failure
from leaderboard.sandbox.host.sandbox import Sandbox

REWARD = "reward"
ESTIMATED = ("value", "n", "standard_error", "interval")
"""What is told of an estimate."""
MOST_TASKS_ALONE = 1000
ALONE_SECONDS = 20.0

SampleRewards = dict[str, float] | None
"""The rewards of a sample by name; None if it failed."""


class TaskSamples(NamedTuple):
    """A task by its name, or its position, with its samples."""

    name: str
    samples: list[SampleRewards]


class Tried(NamedTuple):
    """What a metric or a script gave. failing_task: the first one that alone makes it fail."""

    values: ForeignObject | None
    failure: Failure | None
    failing_task: str | None
    output: str

    def as_json(self) -> JsonObject:
        error = self.failure and {"code": self.failure.code, "message": self.failure.message}
        return {
            **(self.values or {"value": None}),
            "error": error,
            "failing_task": self.failing_task,
            "output": self.output,
        }


Run = Callable[[Sequence[TaskSamples], list[str]], "JsonObject | Failure"]
"""Runs on some tasks; the list gets what it prints."""


def read_rewards(value: Any) -> list[TaskSamples]:
    """The tasks of a JSON value. Raises ValueError.

    value: `{"task": [1, 0.5, null]}`, also as the `task_rewards` of an attempt, or a list of such
    lists. A sample is a number, an object of numbers by the names of rewards, or null if it failed.
    """
    given = value.get("task_rewards", value) if isinstance(value, dict) else value
    if isinstance(given, list):
        given = {f"task {number}": samples for number, samples in enumerate(given, 1)}
    if not isinstance(given, dict) or not given:
        raise ValueError("must be an object or a list with the samples of at least one task")
    return [TaskSamples(name, _samples(name, samples)) for name, samples in given.items()]


def _samples(task: str, value: Any) -> list[SampleRewards]:
    if not isinstance(value, list):
        raise ValueError(f"{task}: must be a list of samples; got {json.dumps(value)[:80]}")
    return [_sample(f"{task}.{at}", sample) for at, sample in enumerate(value)]


def _sample(place: str, value: Any) -> SampleRewards:
    if value is None:
        return None
    rewards = value if isinstance(value, dict) else {REWARD: value}
    for reward in rewards.values():
        if type(reward) not in (int, float):
            raise ValueError(f"{place}: must be a number; got {json.dumps(reward)[:80]}")
    return {name: float(number) for name, number in rewards.items()}


def try_metric(
    sandbox: Sandbox,
    entrypoint: str,
    tasks: Sequence[TaskSamples],
    timeout_ms: int,
    k: int | None,
    *,
    alone_seconds: float = ALONE_SECONDS,
) -> Tried:
    """Run a metric. A failed sample counts 0, as it does unless a challenge says otherwise."""

    def run(some: Sequence[TaskSamples], output: list[str]) -> JsonObject | Failure:
        rewards = [list(map(_only_reward, task.samples)) for task in some]
        estimate = sandbox.estimate(entrypoint, rewards, timeout_ms=timeout_ms, k=k, output=output)
        if isinstance(estimate, Failure):
            return estimate
        return {name: getattr(estimate, name) for name in ESTIMATED}

    return tried(run, tasks, alone_seconds)


def try_script(
    sandbox: Sandbox,
    folder: str,
    tasks: Sequence[TaskSamples],
    timeout_ms: int,
    *,
    alone_seconds: float = ALONE_SECONDS,
) -> Tried:
    """Run a prepared script, which gets a line for each sample."""

    def run(some: Sequence[TaskSamples], output: list[str]) -> JsonObject | Failure:
        lines = (json.dumps(sample) + "\n" for task in some for sample in task.samples)
        text = "".join(lines).encode()
        values = sandbox.run_script(folder, text, timeout_ms=timeout_ms, output=output)
        return values if isinstance(values, Failure) else {"values": values}

    return tried(run, tasks, alone_seconds)


def tried(run: Run, tasks: Sequence[TaskSamples], seconds: float) -> Tried:
    """Run on all tasks, and if that fails on single ones, at most for so many seconds."""
    output: list[str] = []
    values = run(tasks, output)
    printed = output[-1] if output else ""
    if not isinstance(values, Failure):
        return Tried(values, None, None, printed)
    return Tried(None, values, _failing_task(run, tasks, values, seconds), printed)


def _failing_task(
    run: Run, tasks: Sequence[TaskSamples], failure: Failure, seconds: float
) -> str | None:
    if failure.code in ("load_error", "not_installed"):
        return None  # It never saw a task.
    end = monotonic() + seconds
    for task in tasks[:MOST_TASKS_ALONE]:
        if monotonic() > end:
            return None
        alone = run([task], [])
        if isinstance(alone, Failure) and alone[:2] == failure[:2]:
            return task.name
    return None


def _only_reward(sample: SampleRewards) -> float:
    if sample is None:
        return 0.0
    return sample[REWARD] if REWARD in sample else next(iter(sample.values()), 0.0)
