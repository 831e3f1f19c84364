"""A file of predictions: checked against the form of the truth, aligned to it, packed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leaderboard.predictions import cells
from leaderboard.predictions.layouts import Layout, TargetColumn
from leaderboard.predictions.packing import pack, unpack
from leaderboard.predictions.problems import MAX_PROBLEMS, Problem, Problems, legible
from leaderboard.predictions.tables import Table, read_table
from leaderboard.predictions.truths import unique_ids
from leaderboard.rules.texts.messages import counted, message

if TYPE_CHECKING:
    import pyarrow as pa


class Predictions(NamedTuple):
    """Predictions that were accepted. packed: in the order of the truth, without ids."""

    packed: bytes
    rows: int
    warnings: tuple[str, ...] = ()


def check_predictions(content: bytes, form: bytes) -> Predictions:
    """Check a file of predictions. form: of the truth, `Truth.form`.

    Ignored and private rows are checked like public ones. Raises BadTable.
    """
    ids, about = unpack(form)
    layout = Layout.of(about["layout"])
    table = read_table(content, layout.columns)
    problems = table.problems
    order = _order(table, layout, ids[""], problems)
    columns = {
        name: values
        for target in layout.targets
        for name, values in _predicted(table, layout, target, problems).items()
    }
    problems.raise_any()
    aligned = {name: _aligned(values, order) for name, values in columns.items()}
    return Predictions(pack(aligned, {}), table.rows, tuple(table.warnings))


def _order(
    table: Table, layout: Layout, expected: pa.Array, problems: Problems
) -> NDArray[np.intp] | None:
    """The row of the file for each row of the truth; None if they are in the same order."""
    import pyarrow.compute as pc

    ids = unique_ids(table, layout.id_column, problems)
    if len(ids) == len(expected) and pc.all(pc.equal(ids, expected)).as_py():
        return None
    at = pc.fill_null(pc.index_in(ids, value_set=expected), -1).to_numpy(zero_copy_only=False)
    extra = np.flatnonzero(at < 0)
    problems.add(
        [
            Problem(line, message("the id {id} is not one of the expected ids", id=legible(id_)))
            for line, id_ in zip(
                table.lines[extra[:MAX_PROBLEMS]].tolist(),
                ids.take(extra[:MAX_PROBLEMS]).to_pylist(),
                strict=True,
            )
        ],
        extra.size,
    )
    order = np.full(len(expected), -1, np.intp)
    order[at[at >= 0]] = np.flatnonzero(at >= 0)
    _report_missing(expected, np.flatnonzero(order < 0), problems)
    return order


def _report_missing(expected: pa.Array, missing: NDArray[np.intp], problems: Problems) -> None:
    if missing.size:
        first = legible(expected[int(missing[0])].as_py())
        text = counted(
            "{count} id is missing: {first}",
            "{count} ids are missing, {first} first",
            int(missing.size),
            first=first,
        )
        problems.add([Problem(0, text)], 1)


def _predicted(
    table: Table, layout: Layout, target: TargetColumn, problems: Problems
) -> Mapping[str, Any]:
    """The predictions for a target, by the name of their column."""
    match layout.kind:
        case "labels":
            return {target.name: cells.label_codes(table, target.name, target.labels, problems)}
        case "rankings" | "masks":
            return {target.name: cells.texts(table, target.name, layout.kind, problems)}
    bounds = (0.0, 1.0) if layout.kind == "probabilities" else None
    return {
        name: cells.numbers(table, name, problems, bounds=bounds, above=layout.above)
        for name in target.columns
    }


def _aligned(values: Any, order: NDArray[np.intp] | None) -> Any:
    if order is None:
        return values
    return values[order] if isinstance(values, np.ndarray) else values.take(order)
