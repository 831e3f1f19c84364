"""The table of a board, ready to print: templates neither calculate nor choose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from leaderboard.columns import Column
from leaderboard.pages import labels, metric_labels
from leaderboard.pages.metric_labels import State
from leaderboard.rules.spec_names import ECONOMICS
from leaderboard.services.board.rows import Row, Who

TOP = 3
FITS = 100
"""Characters that the values of a row may take in a wide window, the space between them too."""
BETWEEN = 3
SMALL = 0.8
NOTE = 18
"""Characters in a line of a note; a longer one goes on below."""
NO_STATES: Mapping[str, State] = {}


@dataclass(frozen=True, slots=True)
class TableHeader:
    """A column's heading. `order` is the order that a click asks for (`-rating`)."""

    key: str
    label: str
    description: str
    order: str
    sorted: str
    is_main: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a row; `moment` instead of a number where it is one.

    `spread` (`± 3.4`), `coverage` (`10/12`) and `level` (`reported`) belong to the value of a
    metric. `hint` says the rest, or why there is no value; `note` how sure it is, for who asks for
    intervals.
    """

    label: str
    text: str
    is_main: bool = False
    is_empty: bool = False
    moment: datetime | None = None
    spread: str = ""
    coverage: str = ""
    level: str = ""
    hint: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableLine:
    """A row of the board. `rank` is `2`, or `2=` when it is shared; "" when there is none."""

    rank: str
    rank_hint: str
    top: int
    reason: str
    participant: Who
    attempt_id: UUID
    cells: list[Cell]
    attempts: int
    reached_at: datetime
    is_own: bool = False


def keys_in(rows: Iterable[Row]) -> set[str]:
    """The keys that the ranked ones of these rows have a value or a reason for.

    Unranked rows stand in a list without columns, so they never add one to the table.
    """
    ranked = (row for row in rows if row.rank is not None)
    return {key for row in ranked for key in (*row.values, *row.cells)}


def filled(columns: Sequence[Column], keys: Collection[str]) -> list[Column]:
    """The columns with something in them, and those that the board ranks by."""
    return [
        column
        for column in columns
        if column.ranked or column.key in keys or column.key == "submitted_at"
    ]


def are_noted(rows: Iterable[Sequence[Cell]]) -> bool:
    """Whether there is anything to say of how sure values are, or why they are not there."""
    return any(cell.note for row in rows for cell in row)


def is_wide(
    heads: Sequence[TableHeader], rows: Sequence[TableLine], *, notes: bool = False
) -> bool:
    """Whether a table needs a frame of its own to scroll in, even in a wide window.

    notes: whether they stand below the values.
    """
    widths = [SMALL * len(head.label) for head in heads]
    for row in rows:
        found = (_width(cell, notes=notes) for cell in row.cells)
        widths = [max(pair) for pair in zip(widths, found, strict=True)]
    return sum(widths) + BETWEEN * len(widths) > FITS


def _width(cell: Cell, *, notes: bool) -> float:
    small = len(cell.coverage) + len(cell.level) + (len(cell.spread) if cell.is_main else 0)
    note = min(len(cell.note), NOTE) if notes else 0
    return max(len(cell.text) + SMALL * small, SMALL * note)


def headers(columns: Sequence[Column], sort: str) -> list[TableHeader]:
    """The headings; a click sorts by the better end first, a second one the other way round."""
    return [_header(column, sort, is_main=at == 0) for at, column in enumerate(columns)]


def lines(columns: list[Column], rows: Sequence[Row], own: UUID | None = None) -> list[TableLine]:
    """The rows; `own` is the attempt of the row that the page is about."""
    return [_line(columns, row, is_own=row.attempt_id == own) for row in rows]


def cells(
    columns: Sequence[Column],
    values: Mapping[str, float],
    at: datetime,
    states: Mapping[str, State] = NO_STATES,
) -> list[Cell]:
    """The values of one attempt, which arrived `at`, the first one as the main one.

    `states`: what is known of its metric values beside their numbers.
    """
    return [
        _moment(column, at, is_main=not place)
        if column.key == "submitted_at"
        else _cell(column, values, states.get(column.key) or {}, is_main=not place)
        for place, column in enumerate(columns)
    ]


def _header(column: Column, sort: str, *, is_main: bool) -> TableHeader:
    ascending, descending = column.key, f"-{column.key}"
    better = ascending if column.direction == "asc" else descending
    other = descending if better == ascending else ascending
    return TableHeader(
        key=column.key,
        label=column.label,
        description=f"{column.description.rstrip('.')}; {labels.end(column)} is best",
        order=other if sort == better else better,
        sorted={ascending: "ascending", descending: "descending"}.get(sort, ""),
        is_main=is_main,
    )


def _line(columns: list[Column], row: Row, *, is_own: bool) -> TableLine:
    rank = "" if row.rank is None else str(row.rank)
    return TableLine(
        rank=f"{rank}=" if row.tied else rank,
        rank_hint="Shared with others who reached the same value" if row.tied else "",
        top=row.rank if row.rank is not None and row.rank <= TOP else 0,
        reason=_reason(columns, row),
        participant=row.participant,
        attempt_id=row.attempt_id,
        cells=cells(columns, row.values, row.reached_at, row.cells),
        attempts=row.attempts,
        reached_at=row.reached_at,
        is_own=is_own,
    )


def _reason(columns: list[Column], row: Row) -> str:
    """Why a row has no rank, in words; "" for one that has."""
    if not row.unranked:
        return ""
    said = labels.unranked(row.unranked, columns)
    main = next((column for column in columns if column.ranked), None)
    state = row.cells.get(main.key) if main else None
    if row.unranked == "no_value" and main and state and state.get("not_ranked") == "reported":
        return f"{main.label} is reported without evidence"
    if row.unranked != "low_coverage":
        return said
    if main and main.over == "value" and state and state.get("not_ranked"):
        said = "Too few values can be compared"
    states = (row.cells.get(column.key) for column in columns if column.ranked)
    covered = next((metric_labels.coverage(state) for state in states if state), "")
    return f"{said} ({covered})" if covered else said


def _moment(column: Column, at: datetime, *, is_main: bool) -> Cell:
    return Cell(column.label, column.text(at.timestamp()), is_main, moment=at)


def _cell(column: Column, values: Mapping[str, float], state: State, *, is_main: bool) -> Cell:
    value = column.value(values)
    if value is None:
        why = metric_labels.reason(column, state)
        return Cell(column.label, column.text(value), is_main, is_empty=True, hint=why, note=why)
    return Cell(
        column.label,
        column.text(value),
        is_main,
        spread=metric_labels.spread(column, state),
        coverage="" if column.key in ECONOMICS else metric_labels.coverage(state),
        level=metric_labels.level(column, state),
        hint=metric_labels.hint(column, state),
        note=metric_labels.note(column, state),
    )
