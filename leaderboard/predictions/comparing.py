"""Two files of predictions, compared by a metric row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leaderboard.predictions.scoring import Answers, given_in, row_parts, values_of
from leaderboard.rules.statistics.comparisons import Comparison, around, compare
from leaderboard.rules.statistics.metric_parts import LARGEST
from leaderboard.rules.statistics.pairwise import MIN_SHARED
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.probabilities import student_p

MOST_ROWS: Final = 20_000
"""The most rows of which a metric that is no mean over rows is computed again and again."""
MOST_GROUPS: Final = 40
_SEED: Final = 1

Given = Mapping[str, Any]


class ComparedFiles(NamedTuple):
    """A metric of two files. first, second: its values; None: undefined."""

    first: float | None
    second: float | None
    comparison: Comparison


def compare_files(
    metric: Any, parameters: Mapping[str, Any], answers: Answers, first: bytes, second: bytes
) -> ComparedFiles:
    """Compare two files by a metric over the rows of `answers`. first, second: packed.

    If the value is a mean over rows, the differences of rows are compared, as those of tasks are.
    Otherwise a grouped jackknife estimates the standard error of the difference. What a metric
    raises is raised, unless it says why there is no value.
    """
    both = [given_in(answers, packed) for packed in (first, second)]
    values = [_value(metric, parameters, answers, given) for given in both]
    if values[0] is None or values[1] is None:
        return ComparedFiles(values[0], values[1], Comparison(answers.count, None))
    difference = values[0] - values[1]
    parts = [row_parts(metric, parameters, answers, given) for given in both]
    if parts[0] is not None and parts[1] is not None and not hasattr(metric, "of_mean"):
        above = np.array(parts, np.float64)
        if not np.abs(above).max() <= LARGEST:
            return ComparedFiles(values[0], values[1], Comparison(answers.count, difference))
        compared = compare(TaskParts(above, np.ones(above.shape)))
        # How many rows only one file has right would tell the truth, row by row.
        compared = replace(compared, difference=difference, only_first=None, only_second=None)
    else:
        compared = _jackknifed(metric, parameters, answers, both, difference)
    return ComparedFiles(values[0], values[1], compared)


def _jackknifed(
    metric: Any,
    parameters: Mapping[str, Any],
    answers: Answers,
    both: list[Given],
    difference: float,
) -> Comparison:
    """The comparison by the values that the two files have without a group of rows.

    The delete-a-group jackknife (Shao and Tu, The Jackknife and Bootstrap, 1995, 2.3): rows are
    divided at random, with a fixed seed, into G groups; without group g the difference is D₍g₎, and
    the standard error √((G - 1) / G · Σ (D₍g₎ - mean)²). Groups of at least √n rows also suit
    medians. Of more than MOST_ROWS rows so many are drawn, and the error is scaled by √(drawn / n).
    """
    count = answers.count
    few = Comparison(count, difference, reason="few_shared_tasks")
    if count < MIN_SHARED:
        return few
    drawn = np.random.default_rng(_SEED).permutation(count)[:MOST_ROWS]
    groups = np.array_split(drawn, max(MIN_SHARED, min(MOST_GROUPS, math.isqrt(drawn.size))))
    without = []
    for group in groups:
        kept = np.zeros(count, bool)
        kept[drawn] = True
        kept[group] = False
        rows = np.flatnonzero(kept)
        part = _of_rows(answers, rows)
        pair = [_value(metric, parameters, part, _given_of(given, rows)) for given in both]
        if pair[0] is None or pair[1] is None:
            return few
        without.append(pair[0] - pair[1])
    spread = float(np.var(without)) * (len(groups) - 1) * drawn.size / count
    freedom = len(groups) - 1.0
    error = math.sqrt(spread)
    if error <= 1e-12 * max(1.0, abs(difference)):
        are_equal = 1.0 if not difference else None
        return Comparison(count, difference, 0.0, p=are_equal, test="t", reason="no_spread")
    p = float(student_p(np.array([difference / error]), np.array([freedom]))[0])
    return Comparison(count, difference, error, around(difference, error, freedom), p, "t")


def _of_rows(answers: Answers, rows: NDArray[np.intp]) -> Answers:
    truth = {
        name: column._replace(values=_taken(column.values, rows))
        for name, column in answers.truth.items()
    }
    return replace(answers, truth=truth, count=rows.size)


def _given_of(given: Given, rows: NDArray[np.intp]) -> Given:
    return {name: _taken(cells, rows) for name, cells in given.items()}


def _taken(cells: Any, rows: NDArray[np.intp]) -> Any:
    """The cells of some rows; rankings and masks are in lists."""
    return [cells[row] for row in rows.tolist()] if isinstance(cells, list) else cells[rows]


def _value(
    metric: Any, parameters: Mapping[str, Any], answers: Answers, given: Given
) -> float | None:
    values, _reason = values_of(metric, parameters, answers, given)
    return next(iter(values.values()))
