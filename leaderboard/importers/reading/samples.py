"""Functions for samples of all formats: number them, sum them up, suggest a challenge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from leaderboard.facts import usage_facts
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.packed_samples import PackedSamples
from leaderboard.importers.reading.reported_numbers import MAX_VALUES, direction_of
from leaderboard.importers.reading.result_labels import result_key
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.suggestions import (
    SuggestedFields,
    SuggestedKey,
    SuggestedMetric,
    SuggestedPolicy,
    SuggestedTask,
)
from leaderboard.rules.rewards.runs import SampleRun
from leaderboard.schemas.metrics import MAX_METRICS, MAX_NAME

NOT_SCORED: Final = "not scored"
STRATEGIES: Final[Mapping[str, frozenset[str]]] = {
    "highest_rating": frozenset({"rating"}),
    "fastest": frozenset({"succeeded", "elapsed_ms"}),
    "fewest_tokens": frozenset({"succeeded", "tokens_total"}),
    "first": frozenset({"succeeded"}),
}
"""Facts that attempts need for a strategy that ranks by facts; the first that fits is suggested."""
FACTS: Final = tuple(fact.key for fact in usage_facts())


def sample(
    task: str,
    rewards: dict[str, float | None] | None,
    usage: Mapping[str, float | int | None] | None = None,
    error: str = "",
    run: SampleRun | None = None,
) -> SampleRow:
    """A sample as it is submitted, still without its number; usage only where it is known.

    run: how it was run, if the files say that.
    """
    known_usage = {key: value for key, value in (usage or {}).items() if value is not None}
    row: SampleRow = {
        "task": task,
        "sample": 0,
        "rewards": rewards,
        "usage": known_usage,
        "error": error,
    }
    return {**row, "run": run} if run else row


def numbered(samples: Iterable[SampleRow]) -> list[SampleRow]:
    """The samples, each with its number within its task, in the order given."""
    counts: Counter[str] = Counter()
    rows: list[SampleRow] = []
    for row in samples:
        rows.append({**row, "sample": counts[row["task"]]})
        counts[row["task"]] += 1
    return rows


def without_placeholders(samples: Sequence[SampleRow]) -> list[SampleRow]:
    """The samples without the rewards that are None in every sample.

    A sample whose rewards were all not scored has failed.
    """
    filled = {
        name
        for row in samples
        for name, value in (row["rewards"] or {}).items()
        if value is not None
    }
    return [_filled(row, filled) for row in samples]


def owing(samples: Sequence[SampleRow]) -> list[SampleRow]:
    """The samples; failed ones get the names of the rewards that they lack.

    These are the rewards that the tool gives to every other sample. A failed sample stays unchanged
    if other samples of its task show which rewards it lacks, and if all samples have at most one
    reward in common.
    """
    scored_tasks = {row["task"] for row in samples if row["rewards"]}
    names = [set(row["rewards"]) for row in samples if row["rewards"]]
    owed = sorted(set.intersection(*names)) if len(set().union(*names)) > 1 else []
    return [
        {**row, "rewards": dict.fromkeys(owed)}
        if owed and row["rewards"] is None and row["task"] not in scored_tasks
        else row
        for row in samples
    ]


def _filled(row: SampleRow, filled: set[str]) -> SampleRow:
    rewards = row["rewards"]
    if not rewards:
        return row
    if all(value is None for value in rewards.values()):
        return {**row, "rewards": None, "error": row["error"] or NOT_SCORED}
    return {**row, "rewards": {key: rewards[key] for key in rewards if key in filled}}


def facts(samples: Sequence[SampleRow]) -> dict[str, float | int]:
    """Usage summed over the samples, for each fact that every sample with rewards reports.

    A sum over some of them would make an attempt look cheaper than it was. A failed sample counts
    with what it reports.
    """
    complete = [
        key
        for key in FACTS
        if any(row["rewards"] is not None for row in samples)
        and all(row["rewards"] is None or key in row["usage"] for row in samples)
    ]
    return {key: sum(row["usage"].get(key) or 0 for row in samples) for key in complete}


def total(values: Iterable[float | int | None]) -> float | int | None:
    """The sum of the known numbers; None if none is known."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers else None


def milliseconds(seconds: float | None) -> int | None:
    """A duration as it is submitted; None stays None."""
    return None if seconds is None else round(seconds * 1000)


def reward_names(samples: Iterable[SampleRow]) -> list[str]:
    """Every reward that some sample has, sorted."""
    return sorted({name for row in samples for name in row["rewards"] or ()})


def spec(
    kind: str,
    reward: str = "",
    *,
    failed: SuggestedPolicy | None = None,
    undefined: SuggestedPolicy | None = None,
    min_coverage: float | None = None,
) -> SuggestedMetric:
    """A metric's spec under the name by which its value is looked up: `mean`, `mean:reward`."""
    metric: SuggestedMetric = {"type": kind, "name": kind}
    if reward:
        metric |= {"name": f"{kind}:{reward}"[:MAX_NAME], "reward": reward}
    if failed:
        metric["failed"] = failed
    if undefined:
        metric["undefined"] = undefined
    if min_coverage is not None:
        metric["min_coverage"] = min_coverage
    return metric


def suggested(
    attempts: Sequence[ImportedAttempt],
    metrics: Sequence[SuggestedMetric] = (),
    shares: Iterable[str] = (),
) -> SuggestedFields:
    """Fields of a challenge that accepts and ranks the attempts.

    metrics: specs to suggest, the first of which ranks; without any, the mean over tasks of each
    reward. Without samples the first reported value that may be a result ranks, or else
    a fact. shares: rewards that are
    always from 0 to 1, so that intervals stay within these bounds.
    """
    fields = _measured(attempts, metrics)
    rewards = {name for task in fields.get("tasks", ()) for name in task.get("rewards", ())}
    if bounded := [name for name in shares if name in rewards]:
        fields["rewards"] = [{"name": name, "min": 0, "max": 1} for name in bounded]
    return {**_ranking(attempts, fields, is_given=bool(metrics)), **fields}


def _ranking(
    attempts: Sequence[ImportedAttempt], fields: SuggestedFields, *, is_given: bool
) -> SuggestedFields:
    """The ranking of the attempts: by the first metric, the first value of results, or a fact."""
    if metrics := fields.get("metrics"):
        first = metrics[0] if is_given else _metric_of_results(metrics)
        return _by(_first_key(first, fields.get("tasks", ())))
    values = list(dict.fromkeys(chain.from_iterable(attempt.values for attempt in attempts)))
    if values:
        key = result_key(
            {value: value for value in values}, [attempt.values for attempt in attempts]
        )
        return {**(_by(key) if key else {}), "values": values[:MAX_VALUES]}
    fact_names = {key for attempt in attempts for key in attempt.metrics}
    needed = STRATEGIES.items()
    strategy = next((name for name, facts in needed if facts <= fact_names), "")
    return {"scoring_strategy": strategy} if strategy else {}


def _metric_of_results(metrics: Sequence[SuggestedMetric]) -> SuggestedMetric:
    """The first metric whose reward is no count, size, date or setting."""
    names = {metric["name"]: metric.get("reward", "") for metric in metrics}
    key = result_key(names)
    return next((metric for metric in metrics if metric["name"] == key), metrics[0])


def _first_key(metric: SuggestedMetric, tasks: Iterable[SuggestedTask]) -> str:
    """The key of a metric's value: with several rewards and none named, that of `reward`."""
    rewards = sorted({name for task in tasks for name in task.get("rewards", ())})
    name = metric["name"]
    if "reward" in metric or len(rewards) < 2:
        return name
    return f"{name}:{'reward' if 'reward' in rewards else rewards[0]}"


def _by(key: str) -> SuggestedFields:
    """A ranking by a key; in `mean:REWARD` the reward says which end is better."""
    one: SuggestedKey = {"key": key, "direction": direction_of(key.partition(":")[2] or key)}
    return {"scoring_strategy": "metric", "rank_by": [one]}


def _measured(
    attempts: Sequence[ImportedAttempt], metrics: Sequence[SuggestedMetric]
) -> SuggestedFields:
    tasks: dict[str, set[str]] = {}
    most = 0
    for attempt in attempts:
        for task, names in rewards_of_tasks(attempt.samples).items():
            tasks.setdefault(task, set()).update(names)
        most = max(most, most_samples(attempt.samples))
    if not tasks:
        return {"metrics": list(metrics)} if metrics else {}
    rewards = sorted(set().union(*tasks.values()))
    specs = list(metrics) or [spec("mean_reward", name) for name in rewards]
    return {
        "metrics": specs[:MAX_METRICS],
        "tasks": [
            {"name": task, "rewards": sorted(names)} if names else {"name": task}
            for task, names in tasks.items()
        ],
        "num_samples": most,
        "min_coverage": None,
    }


def rewards_of_tasks(samples: Sequence[SampleRow]) -> dict[str, set[str]]:
    """The rewards that some sample of each task has."""
    if isinstance(samples, PackedSamples):
        return samples.rewards_of_tasks()
    tasks: dict[str, set[str]] = {}
    for row in samples:
        tasks.setdefault(row["task"], set()).update(row["rewards"] or ())
    return tasks


def most_samples(samples: Sequence[SampleRow]) -> int:
    """One more than the largest number of a sample."""
    if isinstance(samples, PackedSamples):
        return samples.most_samples
    return max((row["sample"] for row in samples), default=-1) + 1
