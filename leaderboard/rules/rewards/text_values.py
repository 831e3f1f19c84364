"""Computes a text metric's score and metric values from its results for blocks of instances."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from math import isclose
from typing import Any, NamedTuple, Protocol

from leaderboard.rules.rewards.finite_mean import finite_mean
from leaderboard.rules.rewards.intervals import (
    UNBOUNDED,
    Estimate,
    Interval,
    InvalidValue,
    mean_estimate,
)
from leaderboard.rules.rewards.reductions import MetricError, MetricValue, value_of
from leaderboard.rules.rewards.text_scores import (
    TextMetricScore,
    TextMetricValue,
    first_key,
    numbers_of,
)


class BoundsOf(Protocol):
    def __call__(self, name: str, *, is_first: bool) -> Interval: ...


def _unbounded(name: str, *, is_first: bool) -> Interval:
    return UNBOUNDED


class BlockScore(NamedTuple):
    """The contribution of one block to the score of all.

    instances: those that the metric is defined for. failed: those without an output. score: the
    metric's own of this block; {} if it saw none. statistics: the input of `combine`. seconds:
    spent computing.
    """

    instances: int
    failed: int
    score: TextMetricScore
    statistics: Any
    seconds: float


class Piece(NamedTuple):
    """The results of a text metric for one block, by its number, with an entry for each instance.

    results: None for a metric that has none for instances. warnings: None for none.
    """

    number: int
    results: Sequence[TextMetricValue] | None
    warnings: Sequence[str | None] | None
    part: BlockScore


class RunningScore:
    """The results so far of one metric on one evaluation; blocks may come in any order.

    averaged: the numbers of its score are the means of the instances' results, of which only the
    numbers are kept.
    """

    def __init__(self, *, averaged: bool) -> None:
        self._averaged = averaged
        self._parts: dict[int, BlockScore] = {}
        self._numbers: dict[int, dict[str, array[float]]] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._parts

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def seconds(self) -> float:
        return sum(part.seconds for part in self._parts.values())

    def add(self, piece: Piece) -> None:
        self._parts[piece.number] = piece.part
        self._numbers[piece.number] = _by_name(piece)

    def statistics(self) -> list[Any]:
        """The statistics of all blocks, in the order of the instances."""
        return [part.statistics for part in self._in_order()]

    def score(self, combined: TextMetricScore | None = None) -> TextMetricScore:
        """The score of all instances; {} for a metric that saw none.

        combined: the result of `combine` for all blocks.
        """
        score: TextMetricScore = dict(
            next((part.score for part in self._in_order() if part.score), {})
        )
        if self._averaged:
            numbers = [name for name, value in score.items() if not isinstance(value, str)]
            score |= {name: _mean(self._column(name)) for name in numbers}
        return score | (combined or {})

    def values(
        self, name: str, score: TextMetricScore, total: int, bounds_of: BoundsOf = _unbounded
    ) -> dict[str, MetricValue]:
        """The numbers of a score as metric values: the first is `name`, others `name:other`.

        total: instances. bounds_of: the lowest and the highest value of a number, by its name. A
        number that is the mean of the instances' results comes with its standard error and
        interval.
        """
        first = first_key(score)
        if first is None:
            return {name: value_of(Estimate(None, 0), total, self._failed, "undefined")}
        return {
            name if key == first else f"{name}:{key}": self._value(
                key, value, total, bounds_of(key, is_first=key == first)
            )
            for key, value in score.items()
            if not isinstance(value, str)
        }

    def _value(self, key: str, value: float | None, total: int, bounds: Interval) -> MetricValue:
        if value is None:
            return value_of(Estimate(None, 0), total, self._failed, "undefined")
        numbers = self._column(key)
        instances = sum(part.instances for part in self._parts.values())
        estimate = Estimate(value, instances, interval_reason="not_estimated")
        if self._is_mean(value, numbers):
            with suppress(InvalidValue):  # of a sum that is no finite number
                estimate = mean_estimate(numbers, bounds)._replace(value=value)
        return value_of(estimate, total, self._failed, None)

    def _is_mean(self, value: float, numbers: Sequence[float]) -> bool:
        """Whether a number of the score is the mean of the results of its name.

        Metrics that combine statistics may have such numbers as well: where results differ, only
        their mean is their mean.
        """
        if not numbers or not (self._averaged or len(set(numbers)) > 1):
            return False
        return isclose(finite_mean(numbers), value, rel_tol=1e-9, abs_tol=1e-12)

    @property
    def _failed(self) -> int:
        return sum(part.failed for part in self._parts.values())

    def _in_order(self) -> list[BlockScore]:
        return [self._parts[number] for number in sorted(self._parts)]

    def _column(self, name: str) -> Sequence[float]:
        """The numbers of a name, over all instances that it is defined for, in their order."""
        blocks = (self._numbers[number] for number in sorted(self._numbers))
        return list(chain.from_iterable(block.get(name, ()) for block in blocks))


def error_values(name: str, error: MetricError, total: int) -> dict[str, MetricValue]:
    """The metric value of a text metric that has failed."""
    return {name: value_of(Estimate(None, 0), total, 0, None) | {"error": error}}


def _mean(numbers: Sequence[float]) -> float | None:
    return finite_mean(numbers) if numbers else None


def _by_name(piece: Piece) -> dict[str, array[float]]:
    first = first_key(piece.part.score)
    results = [result for result in piece.results or () if result is not None]
    bare = [result for result in results if isinstance(result, float)]
    if first is not None and len(bare) == len(results):
        return {first: array("d", bare)}
    columns: dict[str, array[float]] = {}
    for result in results:
        for name, number in numbers_of(result, first).items():
            if number is not None:
                columns.setdefault(name, array("d")).append(number)
    return columns
