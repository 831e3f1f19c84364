"""The input of a text metric, and what its results mean for the instances.

A metric sees instances with one output each. This module decides everything else, for all metrics:
the best of several outputs counts; an instance without references is undefined for a metric that
compares with them; an instance without an output is seen as an empty text, and counts as the worst
if the metric's worst value is known.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import accumulate
from time import perf_counter
from typing import Any, NamedTuple, TypedDict

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.results import InvalidResult
from leaderboard.rules.plugins.text_results import (
    InstanceResult,
    TextMetricResult,
    check_result,
    check_score,
)
from leaderboard.rules.rewards.text_scores import TextMetricScore, first_key, mean_score, numbers_of
from leaderboard.sandbox.child.text_metrics import traits_of
from leaderboard.sandbox.contract import InstanceTuple


class ShownInstance(NamedTuple):
    """An instance as a metric sees it."""

    id: str
    input: str
    output: str
    references: Sequence[str]


class EvaluateAnswer(TypedDict):
    """The fields of `contract.Evaluated`, by their names."""

    score: TextMetricScore
    results: list[InstanceResult] | None
    warnings: list[str | None] | None
    statistics: Any
    seconds: float
    instances: int
    failed: int


class CombineAnswer(TypedDict):
    """The score of all blocks, and the seconds spent in the metric."""

    score: TextMetricScore
    seconds: float


class Calls:
    """A text metric with its parameters. `seconds`: the time spent in it for the last request."""

    def __init__(self, plugin: type, parameters: JsonObject) -> None:
        self.traits = traits_of(plugin)
        self.seconds = 0.0
        self._metric = plugin()
        self._parameters = parameters

    def evaluate(self, instances: list[ShownInstance]) -> TextMetricResult:
        """Call the metric once. Raises InvalidResult."""
        return check_result(self._timed(self._metric.evaluate, instances), len(instances))

    def combine(self, statistics: Sequence[Any]) -> CombineAnswer:
        """The answer to `combine`. statistics: None for blocks without a call of the metric."""
        self.seconds = 0.0
        given = [statistic for statistic in statistics if statistic is not None]
        score = check_score(self._timed(self._metric.combine, given)) if given else {}
        return {"score": score, "seconds": self.seconds}

    def _timed(self, call: Any, given: Any) -> Any:
        parameters = deepcopy(self._parameters)
        started = perf_counter()
        try:
            return call(given, parameters)
        finally:
            self.seconds += perf_counter() - started


def evaluate(calls: Calls, rows: Sequence[InstanceTuple]) -> EvaluateAnswer:
    """The answer to `evaluate`: an entry of results and warnings for each row."""
    calls.seconds = 0.0
    places = [at for at, row in enumerate(rows) if row[3] or not calls.traits.supervised]
    result = TextMetricResult(None, {}, {}, None)
    if places:
        call = _in_one if calls.traits.averaged else _in_two
        result = call(calls, [rows[at] for at in places])
    return {
        "score": result.score,
        "results": _spread(len(rows), places, result.results),
        "warnings": _warnings(len(rows), places, result.warnings),
        "statistics": result.statistics,
        "seconds": calls.seconds,
        "instances": len(places),
        "failed": sum(not row[2] for row in rows),
    }


def _spread(
    count: int, places: list[int], results: list[InstanceResult] | None
) -> list[InstanceResult] | None:
    """An entry for each row from those for the rows that the metric saw."""
    if results is None or len(places) == count:
        return results
    spread: list[InstanceResult] = [None] * count
    for at, result in zip(places, results, strict=True):
        spread[at] = result
    return spread


def _warnings(count: int, places: list[int], warnings: dict[int, str]) -> list[str | None] | None:
    if not warnings:
        return None
    spread: list[str | None] = [None] * count
    for position, text in warnings.items():
        spread[places[position]] = text
    return spread


def _in_one(calls: Calls, rows: list[InstanceTuple]) -> TextMetricResult:
    """Call an `averaged` metric, for which instances are independent, once with all outputs."""
    result = calls.evaluate(_candidates(rows))
    if result.results is None:
        raise InvalidResult("The text metric is `averaged`, but it returned no results.")
    first = first_key(result.score)
    chosen = _chosen(calls, rows, result.results, first)
    results = [
        result.results[at] if row[2] else _worst(calls, result.results[at], first)
        for row, at in zip(rows, chosen, strict=True)
    ]
    warnings = result.warnings and {
        place: result.warnings[at] for place, at in enumerate(chosen) if at in result.warnings
    }
    return TextMetricResult(results, warnings, mean_score(result.score, results), result.statistics)


def _in_two(calls: Calls, rows: list[InstanceTuple]) -> TextMetricResult:
    """Call any other metric with one output per instance.

    If instances have several outputs, a call before it finds the best one of each.
    """
    several = [row for row in rows if len(row[2]) > 1]
    outputs = {}
    if several:
        candidates = _candidates(several)
        result = calls.evaluate(candidates)
        if result.results is not None:
            chosen = _chosen(calls, several, result.results, first_key(result.score))
            outputs = {id(row): candidates[at] for row, at in zip(several, chosen, strict=True)}
    return calls.evaluate([outputs.get(id(row)) or _candidate(row) for row in rows])


def _candidates(rows: list[InstanceTuple]) -> list[ShownInstance]:
    """The instances with each of their outputs; with an empty one if there is none."""
    return [
        ShownInstance(str(key), asked, output, references)
        for key, asked, outputs, references in rows
        for output in outputs or _NO_OUTPUT
    ]


_NO_OUTPUT = ("",)


def _candidate(row: InstanceTuple) -> ShownInstance:
    """The instance with its first output."""
    return ShownInstance(str(row[0]), row[1], row[2][0] if row[2] else "", row[3])


def _chosen(
    calls: Calls, rows: list[InstanceTuple], results: list[InstanceResult], first: str | None
) -> Sequence[int]:
    """The positions of the best candidates among those of all rows, one for each."""
    if len(results) == len(rows):
        return range(len(rows))
    ends = list(accumulate(max(len(row[2]), 1) for row in rows))
    starts = [0, *ends[:-1]]
    return [
        start + _best(calls, results[start:end], first)
        for start, end in zip(starts, ends, strict=True)
    ]


def _best(calls: Calls, results: Sequence[InstanceResult], first: str | None) -> int:
    """The position of the best result, the first of equals; undefined is worse than anything."""
    if len(results) == 1:
        return 0
    sign = 1.0 if calls.traits.direction == "desc" else -1.0
    values = [_value(result, first) for result in results]
    ranked = [float("-inf") if value is None else sign * value for value in values]
    return ranked.index(max(ranked))


def _value(result: InstanceResult, first: str | None) -> float | None:
    numbers = numbers_of(result, first)
    if first is not None and first in numbers:
        return numbers[first]
    return next(iter(numbers.values()), None)


def _worst(calls: Calls, result: InstanceResult, first: str | None) -> InstanceResult:
    """The value of an instance without an output, if it is known; else the given one."""
    traits = calls.traits
    low, high = traits.bounds or (None, None)
    worst = low if traits.direction == "desc" else high
    if worst is None:
        return result
    if not isinstance(result, dict):
        return worst
    return {
        key: worst if traits.directions.get(key, traits.direction) == traits.direction else value
        for key, value in result.items()
    }
