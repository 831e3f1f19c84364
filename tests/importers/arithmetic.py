"""The stated metrics in plain arithmetic, to compare imported values with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import comb

from leaderboard.importers import ImportedAttempt
from leaderboard.importers.sample_row import SampleRow
from leaderboard.importers.suggestions import SuggestedMetric

Sample = SampleRow


def value_of(attempt: ImportedAttempt, spec: SuggestedMetric) -> float:
    """Return a spec's value over the samples of an attempt."""
    samples = attempt.samples
    kind = spec["type"]
    reward = spec.get("reward") or _only(samples)
    if spec.get("failed") == "exclude":
        samples = [
            each
            for each in samples
            if (each["rewards"] or {reward: None}).get(reward, 0) is not None
        ]
    if kind.startswith("pass"):
        return _passes(kind, reward, samples)
    owed = _owed(samples)
    seen = [
        _seen(each, reward)
        for each in samples
        if spec.get("undefined") == "zero" or reward in owed[each["task"]]
    ]
    if kind == "mean_reward":
        return _mean_of_means(reward, samples)
    return {"mean": sum(seen) / len(seen), "max": max(seen), "min": min(seen), "sum": sum(seen)}[
        kind
    ]


def _only(samples: Sequence[Sample]) -> str:
    (name,) = {name for each in samples for name in each["rewards"] or ()}
    return str(name)


def _owed(samples: Sequence[Sample]) -> dict[str, set[str]]:
    owed: dict[str, set[str]] = defaultdict(set)
    names = {name for each in samples for name in each["rewards"] or ()}
    for each in samples:
        alone = names if each["rewards"] is None and len(names) == 1 else ()
        owed[each["task"]].update(each["rewards"] or alone)
    return owed


def _seen(sample: Sample, reward: str) -> float:
    return float((sample["rewards"] or {}).get(reward) or 0.0)


def _by_task(reward: str, samples: Sequence[Sample]) -> list[list[float]]:
    tasks: dict[str, list[float]] = defaultdict(list)
    for each in samples:
        tasks[each["task"]].append(_seen(each, reward))
    return list(tasks.values())


def _mean_of_means(reward: str, samples: Sequence[Sample]) -> float:
    tasks = _by_task(reward, samples)
    return sum(sum(task) / len(task) for task in tasks) / len(tasks)


def _passes(kind: str, reward: str, samples: Sequence[Sample]) -> float:
    k = int(kind[5:].partition(":")[0])
    tasks = [task for task in _by_task(reward, samples) if len(task) >= k]
    return sum(_passed(kind[4], k, task) for task in tasks) / len(tasks)


def _passed(sign: str, k: int, task: list[float]) -> float:
    n, c = len(task), sum(value >= 1.0 for value in task)
    return 1 - comb(n - c, k) / comb(n, k) if sign == "@" else comb(c, k) / comb(n, k)
