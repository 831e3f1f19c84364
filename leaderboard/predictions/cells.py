"""The cells of a column as numbers, labels, rankings and masks, with what is wrong in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.predictions.problems import MAX_PROBLEMS, Problem, Problems, legible
from leaderboard.predictions.tables import Table
from leaderboard.rules.texts.messages import Message, listed, message

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
MAX_LABELS: Final = 1_000
SHOWN_LABELS: Final = 10
_NUMBER: Final = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_WHOLE: Final = r"^([+-]?\d+)\.0+$"


def numbers(
    table: Table,
    name: str,
    problems: Problems,
    *,
    bounds: tuple[float, float] | None = None,
    above: float | None = None,
) -> Floats:
    """A column of finite numbers; NaN where a cell has a problem.

    bounds: the lowest and the highest possible number. above: numbers must be larger.
    """
    array = table.columns[name]
    values = _floats(array, table.decimal)
    with np.errstate(invalid="ignore"):
        wrong = ~np.isfinite(values)
        if bounds is not None:
            wrong |= (values < bounds[0]) | (values > bounds[1])
        if above is not None:
            wrong |= values <= above
    _report(table, name, np.flatnonzero(wrong), problems, _number_texts(name, bounds, above))
    return values


def _floats(array: pa.Array, decimal: str) -> Floats:
    """Numbers, NaN for cells that hold none; `nan` and `1e400` are no finite numbers either."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_string(array.type) and not pa.types.is_large_string(array.type):
        return np.asarray(array.to_numpy(zero_copy_only=False), np.float64)
    if decimal == ",":
        array = pc.replace_substring(array, ",", ".", max_replacements=1)
    try:
        floats = array.cast(pa.float64())
    except pa.ArrowInvalid:
        array = pc.utf8_trim_whitespace(array)
        is_number = pc.match_substring_regex(array, _NUMBER)
        floats = pc.if_else(is_number, array, "nan").cast(pa.float64())
    return np.asarray(floats.to_numpy(zero_copy_only=False), np.float64)


def _number_texts(
    name: str, bounds: tuple[float, float] | None, above: float | None
) -> Callable[[str], Message]:
    def text(cell: str) -> Message:
        what: dict[str, object] = {"column": legible(name), "cell": legible(cell)}
        if not cell.strip():
            return message("{column} must be a number; got an empty cell", **what)
        if cell.strip().lower().lstrip("+-") in ("nan", "inf", "infinity", "na", "none", "null"):
            return message("{column} must be a finite number; got {cell}", **what)
        if bounds is not None and _is_number(cell):
            low, high = (f"{end:g}" for end in bounds)
            return message(
                "{column}: {cell} is outside {low} to {high}", **what, low=low, high=high
            )
        if above is not None and _is_number(cell):
            return message(
                "{column} must be more than {above}; got {cell}", **what, above=f"{above:g}"
            )
        return message("{column} must be a finite number; got {cell}", **what)

    return text


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell.replace(",", ".")))
    except ValueError:
        return False


def label_texts(array: pa.Array) -> pa.Array:
    """Labels as texts: trimmed, and `1.0` as `1`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(array.type):
        array = pc.cast(array, pa.string())
    return pc.replace_substring_regex(pc.utf8_trim_whitespace(array), _WHOLE, r"\1")


def sorted_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels in their order: that of numbers if all are numbers, else that of texts."""
    try:
        return tuple(sorted(labels, key=float))
    except ValueError:
        return tuple(sorted(labels))


def label_codes(table: Table, name: str, labels: Sequence[str], problems: Problems) -> Codes:
    """The position of each row's label among the labels; -1 where a cell has a problem."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known_labels = pa.array(labels, pa.string())
    texts = label_texts(table.columns[name])
    codes = pc.fill_null(pc.index_in(texts, value_set=known_labels), -1).to_numpy(
        zero_copy_only=False
    )
    accepted = listed([legible(label) for label in labels[:SHOWN_LABELS]])
    if len(labels) > SHOWN_LABELS:
        accepted = message("{labels} and others", labels=accepted)

    def text(cell: str) -> Message:
        return message(
            "{column} must be a label ({labels}); got {cell}",
            column=legible(name),
            labels=accepted,
            cell=legible(cell) or message("an empty cell"),
        )

    _report(table, name, np.flatnonzero(codes < 0), problems, text)
    return np.asarray(codes, np.int32)


def ranking_of(cell: str) -> list[str]:
    """The items of a ranking, the best first: they are separated by spaces."""
    return cell.split()


def mask_of(cell: str) -> list[tuple[int, int]]:
    """The runs of a mask as (first pixel, length): pixels count from 1, column by column.

    Raises ValueError with a text that says what is wrong, for runs that overlap or descend too.
    """
    parts = cell.split()
    if len(parts) % 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise ValueError(message("must be pairs of a first pixel and a length"))
    runs = [
        (int(first), int(length)) for first, length in zip(parts[::2], parts[1::2], strict=True)
    ]
    if any(first < 1 or length < 1 for first, length in runs):
        raise ValueError(message("pixels count from 1, and lengths are at least 1"))
    if any(one[0] + one[1] > other[0] for one, other in pairwise(runs)):
        raise ValueError(message("runs must ascend and must not overlap"))
    return runs


def texts(table: Table, name: str, kind: str, problems: Problems) -> pa.Array:
    """A column of rankings or masks, as texts whose syntax is checked."""
    import pyarrow as pa

    array = table.columns[name].cast(pa.string()).fill_null("")
    if kind == "masks":
        faults = [_mask_fault(cell) for cell in array.to_pylist()]
        wrong = np.flatnonzero([fault is not None for fault in faults])

        def text(cell: str) -> Message:
            return message("{column}: {fault}", column=legible(name), fault=_mask_fault(cell))

        _report(table, name, wrong, problems, text)
    return array


def _mask_fault(cell: str) -> str | None:
    try:
        mask_of(cell)
    except ValueError as error:
        fault: str = error.args[0]
        return fault
    return None


def _report(
    table: Table,
    name: str,
    wrong: NDArray[np.intp],
    problems: Problems,
    text: Callable[[str], Message],
) -> None:
    """Report the cells at these rows. text: what is wrong with a cell."""
    cells = [str(table.columns[name][int(at)].as_py()) for at in wrong[:MAX_PROBLEMS]]
    rows = zip(table.lines[wrong[:MAX_PROBLEMS]].tolist(), cells, strict=True)
    problems.add([Problem(line, text(cell)) for line, cell in rows], wrong.size)
