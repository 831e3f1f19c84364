"""Predictions beside the truth, as few numbers that a page draws: however many rows there are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from leaderboard.predictions.layouts import Kind, Part, TargetColumn
from leaderboard.predictions.scoring import Answers, TruthColumn, answers_of, given_in

MOST_TARGETS: Final = 4
MOST_POINTS: Final = 500
"""With more rows, the numbers are counted in the cells of a grid."""
ACROSS: Final = 40
UP: Final = 24
SPREADS: Final = 10
BINS: Final = 10
MOST_LABELS: Final = 12
"""The others are counted as one."""
LARGEST: Final = 1e150
_DRAWN: Final[tuple[Kind, ...]] = ("values", "labels", "probabilities")

Floats = NDArray[np.float64]
Lines = tuple[tuple[float, ...], ...]


class RowsPicture(NamedTuple):
    """The rows of one target, summed up.

    rows: how many there are. table: for numbers, a line for each of some ranges of the truth: its
    ends and median, rows, and the 10th, 50th and 90th percentile of their predictions; for labels,
    a line for each of `labels` in the truth: how many rows are predicted as each; for
    probabilities, a line for each bin: its ends, rows, mean probability, and the share of rows that
    are right. cells: of numbers: truth, prediction and how many rows are there; one row each if
    `cell` is (0, 0), else in cells of that size, of which it is the middle. beyond: the rows whose
    prediction is so far off that it is drawn at the edge. folded: how many labels are counted
    together, as the last one.
    """

    target: str
    kind: str
    rows: int
    table: Lines
    labels: tuple[str, ...] = ()
    cells: Lines = ()
    cell: tuple[float, float] = (0.0, 0.0)
    beyond: int = 0
    folded: int = 0

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> Self:
        """From plain JSON, as `_asdict` makes it. Raises ValueError, TypeError or KeyError."""
        across, up = sent["cell"]
        return cls(
            str(sent["target"]),
            str(sent["kind"]),
            int(sent["rows"]),
            _lines(sent["table"]),
            tuple(map(str, sent["labels"])),
            _lines(sent["cells"]),
            (_finite(across), _finite(up)),
            int(sent["beyond"]),
            int(sent["folded"]),
        )


def pictures_of(key: bytes, packed: bytes, part: Part) -> list[RowsPicture]:
    """The pictures of the first targets; none for scores, rankings and masks.

    key: `Truth.key`; packed: `Predictions.packed`.
    """
    answers = answers_of(key, part)
    if answers.layout.kind not in _DRAWN or not answers.count:
        return []
    given = given_in(answers, packed)
    pictures = [
        _picture(answers, target, answers.truth[target.name], given[target.name])
        for target in answers.layout.targets[:MOST_TARGETS]
    ]
    return [picture for picture in pictures if picture is not None]


def _picture(
    answers: Answers, target: TargetColumn, truth: TruthColumn, given: Any
) -> RowsPicture | None:
    match answers.layout.kind:
        case "values":
            return _of_numbers(target.name, truth.values, given)
        case "labels":
            return _of_labels(target.name, truth, given)
    return _of_probabilities(target.name, truth, given)


def _of_numbers(name: str, truth: Floats, given: Floats) -> RowsPicture | None:
    if not max(np.abs(truth).max(), np.abs(given).max()) <= LARGEST:
        return None
    low = float(np.quantile(given, 0.005, method="lower"))
    high = float(np.quantile(given, 0.995, method="higher"))
    low, high = min(low, float(truth.min())), max(high, float(truth.max()))
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low, high = low - 0.5 * max(1.0, abs(low)), high + 0.5 * max(1.0, abs(high))
    beyond = int(np.count_nonzero((given < low) | (given > high)))
    inside = np.clip(given, low, high)
    picture = RowsPicture(name, "values", truth.size, _spreads(truth, given), beyond=beyond)
    if truth.size <= MOST_POINTS:
        points = np.column_stack([truth, inside, np.ones(truth.size)])
        return picture._replace(cells=_lines(points.tolist()))
    counts, _, _ = np.histogram2d(truth, inside, (ACROSS, UP), ((low, high), (low, high)))
    across, up = (high - low) / ACROSS, (high - low) / UP
    columns, lines = np.nonzero(counts)
    middles = low + (columns + 0.5) * across, low + (lines + 0.5) * up
    cells = np.column_stack([*middles, counts[columns, lines]])
    return picture._replace(cells=_lines(cells.tolist()), cell=(across, up))


def _spreads(truth: Floats, given: Floats) -> Lines:
    """Ranges of the truth with about as many rows each, and the spread of their predictions."""
    ends = np.unique(np.quantile(truth, np.linspace(0.0, 1.0, SPREADS + 1)))
    places = np.clip(np.searchsorted(ends, truth, side="right") - 1, 0, max(0, ends.size - 2))
    lines = []
    for place in range(max(1, ends.size - 1)):
        inside = places == place
        here = given[inside]
        if here.size:
            low, high = ends[place], ends[min(place + 1, ends.size - 1)]
            middle = np.median(truth[inside])
            lines.append([low, high, middle, here.size, *np.quantile(here, (0.1, 0.5, 0.9))])
    return _lines(lines)


def _of_labels(name: str, truth: TruthColumn, given: Any) -> RowsPicture:
    labels, count = truth.labels, len(truth.labels)
    pairs = truth.values.astype(np.int64) * count + given
    matrix = np.bincount(pairs, minlength=count * count).reshape(count, count)
    folded = 0
    if count > MOST_LABELS:
        frequent = np.argsort(-(matrix.sum(axis=0) + matrix.sum(axis=1)), kind="stable")
        kept = np.sort(frequent[: MOST_LABELS - 1])
        place = np.full(count, kept.size)
        place[kept] = np.arange(kept.size)
        smaller = np.zeros((kept.size + 1, kept.size + 1), matrix.dtype)
        np.add.at(smaller, (place[:, None], place[None, :]), matrix)
        matrix, folded = smaller, count - kept.size
        labels = tuple(labels[at] for at in kept.tolist())
    return RowsPicture(
        name, "labels", int(matrix.sum()), _lines(matrix.tolist()), labels, folded=folded
    )


def _of_probabilities(name: str, truth: TruthColumn, given: Floats) -> RowsPicture:
    """Of the positive label; without one, of the likeliest label of each row."""
    if truth.positive is not None:
        probability, is_right = given, truth.values == truth.positive
    else:
        probability, is_right = given.max(axis=1), given.argmax(axis=1) == truth.values
    places = np.clip(np.ceil(probability * BINS) - 1, 0, BINS - 1).astype(int)
    rows = np.bincount(places, minlength=BINS)
    sums = np.bincount(places, weights=probability, minlength=BINS)
    right = np.bincount(places, weights=is_right, minlength=BINS)
    table = [
        [place / BINS, (place + 1) / BINS, rows[place], sums[place] / rows[place], share]
        for place in range(BINS)
        if rows[place]
        for share in [right[place] / rows[place]]
    ]
    return RowsPicture(
        name,
        "probabilities",
        truth.values.size,
        _lines(table),
        (() if truth.positive is None else (truth.labels[truth.positive],)),
    )


def _lines(lines: Sequence[Sequence[Any]]) -> Lines:
    return tuple(tuple(_finite(number) for number in line) for line in lines)


def _finite(number: Any) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    return value
