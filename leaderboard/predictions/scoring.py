"""The values of a metric for packed predictions.

A metric gets two arrays of equal length, in the same order, of one target and one part. Reading,
checking, joining and converting are done once for all metrics, so a metric is arithmetic of ten
lines, its `kind` says which conversion it needs, and a participant learns what is wrong with a line
before a metric runs. Labels are positions among the labels of the whole truth, so a part that lacks
a label changes nothing for a metric. Metrics that need whole tables are scoring programs. Metrics
that are no mean over rows have no interval: a bootstrap of ROC AUC over a million rows would take
minutes for each attempt.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leaderboard.predictions import cells
from leaderboard.predictions.layouts import Layout, Part, TargetColumn
from leaderboard.predictions.packing import to_numpy, unpack
from leaderboard.predictions.truths import PARTS
from leaderboard.rules.rewards.intervals import (
    UNBOUNDED,
    Estimate,
    bounds_of,
    finite,
    mean_estimate,
)
from leaderboard.rules.texts.messages import message

Floats = NDArray[np.float64]


class TruthColumn(NamedTuple):
    """One target of the truth, as metrics see it: see `scorers.protocol.PredictionTruth`."""

    values: Any
    labels: tuple[str, ...] = ()
    positive: int | None = None


class Measured(NamedTuple):
    """The values of a metric for some rows.

    values: by name; the first is the metric's value on the board, of all targets the mean; with
    several targets, the others are the values of each. None: undefined, and `reason` says why, ""
    if the metric does not. estimate: the first value with its interval.
    """

    values: dict[str, float | None]
    reason: str
    estimate: Estimate


@dataclass(frozen=True)
class Answers:
    """The rows of a part of a truth.

    rows: their positions; None for all. count: how many they are. expected: how many rows there are
    in all parts, ignored ones included.
    """

    layout: Layout
    truth: dict[str, TruthColumn]
    rows: NDArray[np.intp] | None
    count: int
    expected: int


def answers_of(key: bytes, part: Part = "all") -> Answers:
    """The answers of the rows of a part. key: `Truth.key`."""
    arrays, about = unpack(key)
    layout = Layout.of(about["layout"])
    parts = to_numpy(arrays[""])
    kept = parts != PARTS.index("ignored") if part == "all" else parts == PARTS.index(part)
    rows = None if kept.all() else np.flatnonzero(kept)
    columns = {
        target.name: TruthColumn(
            _cells(arrays[target.name], rows, layout.kind, parts.size),
            target.labels,
            target.labels.index(target.positive) if target.positive else None,
        )
        for target in layout.targets
    }
    return Answers(layout, columns, rows, int(kept.sum()), parts.size)


def _cells(array: Any, rows: NDArray[np.intp] | None, kind: str, expected: int) -> Any:
    """The cells of some rows as metrics see them. Raises ValueError for another number of rows."""
    if len(array) != expected:
        raise ValueError("the predictions belong to another truth")
    if kind in ("rankings", "masks"):
        texts = (array if rows is None else array.take(rows)).to_pylist()
        return list(map(cells.ranking_of if kind == "rankings" else cells.mask_of, texts))
    values = to_numpy(array)
    return values if rows is None else values[rows]


def measure(
    metric: Any, parameters: Mapping[str, Any], answers: Answers, packed: bytes | None
) -> Measured:
    """The values of a metric, an object as `scorers.protocol.PredictionMetric` describes it.

    packed: `Predictions.packed`; None for perfect predictions. An exception with a true attribute
    `is_public` is the reason why there is no value; all others are raised. Raises InvalidValue for
    a value that is no number.
    """
    name = _name(metric)
    if not answers.count:
        return _undefined(name, message("there are no rows in this part"))
    given = given_in(answers, packed)
    values, reason = values_of(metric, parameters, answers, given)
    if next(iter(values.values())) is None:
        return _undefined(name, reason)
    parts = row_parts(metric, parameters, answers, given)
    return Measured(values, "", _estimate(metric, next(iter(values.values())), answers, parts))


def values_of(
    metric: Any, parameters: Mapping[str, Any], answers: Answers, given: Mapping[str, Any]
) -> tuple[dict[str, float | None], str]:
    """The values of a metric as in `Measured`; if there is none, the reason.

    given: the predictions for each target. Raises as `measure`.
    """
    name = _name(metric)
    results: dict[str, dict[str, float | None]] = {}
    for target, truth in answers.truth.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = metric.evaluate(truth, given[target], parameters)
        except Exception as error:
            if getattr(error, "is_public", False) is not True:
                raise
            return {name: None}, _of_target(answers, target, str(error))
        named = result if isinstance(result, dict) and result else {name: result}
        results[target] = {key: finite(value) for key, value in named.items()}
        if next(iter(results[target].values())) is None:
            return {name: None}, _of_target(answers, target, message("it is not defined"))
    return _means(results), ""


def _name(metric: Any) -> str:
    return str(getattr(metric, "id", type(metric).__name__))


def given_in(answers: Answers, packed: bytes | None) -> Mapping[str, Any]:
    """The predictions for each target, as metrics see them. packed: as of `measure`."""
    kind = answers.layout.kind
    if packed is None:
        return {
            target.name: _perfect(kind, target, answers.truth[target.name])
            for target in answers.layout.targets
        }
    arrays, _ = unpack(packed)
    given = {}
    for target in answers.layout.targets:
        columns = [
            _cells(arrays[name], answers.rows, kind, answers.expected) for name in target.columns
        ]
        given[target.name] = columns[0] if len(columns) == 1 else np.column_stack(columns)
    return given


def _perfect(kind: str, target: TargetColumn, truth: TruthColumn) -> Any:
    if kind not in ("probabilities", "scores"):
        return truth.values
    if truth.positive is not None:
        return (truth.values == truth.positive).astype(float)
    return np.eye(len(target.labels))[truth.values]


def _undefined(name: str, reason: str) -> Measured:
    return Measured({name: None}, reason, Estimate(None, 0))


def _of_target(answers: Answers, target: str, reason: str) -> str:
    if len(answers.truth) == 1:
        return reason
    return message("{place}: {text}", place=target, text=reason)


def _means(results: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    """The values of one target; of several, their means, and then the first value of each."""
    first = next(iter(results.values()))
    if len(results) == 1:
        return dict(first)
    means: dict[str, float | None] = {}
    for name in first:
        numbers = [values.get(name) for values in results.values()]
        defined = [number for number in numbers if number is not None]
        means[name] = sum(defined) / len(defined) if len(defined) == len(numbers) else None
    return means | {target: next(iter(values.values())) for target, values in results.items()}


def row_parts(
    metric: Any, parameters: Mapping[str, Any], answers: Answers, given: Mapping[str, Any]
) -> Floats | None:
    """What each row adds to a value that is a mean over rows; of several targets, the mean of it.

    None for other values.
    """
    if not hasattr(metric, "parts") or (len(given) > 1 and hasattr(metric, "of_mean")):
        return None
    parts = [metric.parts(truth, given[name], parameters) for name, truth in answers.truth.items()]
    if any(part is None for part in parts):
        return None
    mean: Floats = np.mean(np.asarray(parts, np.float64), axis=0)
    return mean


def _estimate(metric: Any, value: float | None, answers: Answers, parts: Floats | None) -> Estimate:
    if parts is None:
        return Estimate(value, answers.count, interval_reason="not_estimated")
    estimate = mean_estimate(parts, bounds_of(metric, parts, UNBOUNDED))  # type: ignore[arg-type]
    of_mean: Callable[[float], float] | None = getattr(metric, "of_mean", None)
    if of_mean is None:
        return estimate._replace(value=value)
    interval = estimate.interval and (of_mean(estimate.interval[0]), of_mean(estimate.interval[1]))
    return estimate._replace(value=value, standard_error=None, interval=interval)
