"""The table of a board, ready to print: templates neither calculate nor choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from leaderboard.columns import Column
from leaderboard.pages import words
from leaderboard.services.rows import Row, Who

TOP = 3


@dataclass(frozen=True, slots=True)
class Header:
    """A column's heading. `order` is the order that a click asks for (`-rating`)."""

    key: str
    label: str
    description: str
    order: str
    sorted: str
    is_main: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a row; `moment` instead of a number where it is one."""

    label: str
    text: str
    is_main: bool = False
    is_empty: bool = False
    moment: datetime | None = None


@dataclass(frozen=True, slots=True)
class Line:
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


def headers(columns: Sequence[Column], sort: str) -> list[Header]:
    """The headings; a click sorts by the better end first, a second one the other way round."""
    return [_header(column, sort, is_main=at == 0) for at, column in enumerate(columns)]


def lines(columns: list[Column], rows: Sequence[Row], own: UUID | None = None) -> list[Line]:
    """The rows; `own` is the attempt of the row that the page is about."""
    return [_line(columns, row, is_own=row.attempt_id == own) for row in rows]


def cells(columns: Sequence[Column], values: Mapping[str, float], at: datetime) -> list[Cell]:
    """The values of one attempt, which arrived `at`, the first one as the main one."""
    return [_cell(column, values, at, is_main=not place) for place, column in enumerate(columns)]


def _header(column: Column, sort: str, *, is_main: bool) -> Header:
    ascending, descending = column.key, f"-{column.key}"
    better = ascending if column.direction == "asc" else descending
    other = descending if better == ascending else ascending
    return Header(
        key=column.key,
        label=column.label,
        description=f"{column.description}; {words.end(column)} is best",
        order=other if sort == better else better,
        sorted={ascending: "ascending", descending: "descending"}.get(sort, ""),
        is_main=is_main,
    )


def _line(columns: list[Column], row: Row, *, is_own: bool) -> Line:
    rank = "" if row.rank is None else str(row.rank)
    return Line(
        rank=f"{rank}=" if row.tied else rank,
        rank_hint="Shared with others who reached the same value" if row.tied else "",
        top=row.rank if row.rank is not None and row.rank <= TOP else 0,
        reason=words.unranked(row.unranked, columns) if row.unranked else "",
        participant=row.participant,
        attempt_id=row.attempt_id,
        cells=cells(columns, row.values, row.reached_at),
        attempts=row.attempts,
        reached_at=row.reached_at,
        is_own=is_own,
    )


def _cell(column: Column, values: Mapping[str, float], at: datetime, *, is_main: bool) -> Cell:
    if column.key == "submitted_at":
        return Cell(column.label, column.text(at.timestamp()), is_main, moment=at)
    value = column.value(values)
    return Cell(column.label, column.text(value), is_main, is_empty=value is None)
