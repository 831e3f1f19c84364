"""The table of a board, ready to show, so that templates neither compute nor choose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text, plain_number
from leaderboard.pages.labels import judged, metric_labels, row_labels
from leaderboard.pages.labels.metric_labels import DescribedValue
from leaderboard.pages.tables.cell_texts import CellTexts, texts_of
from leaderboard.pages.tables.meta import MetaCell
from leaderboard.pages.tables.row_kinds import KINDS
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.services.board.reading.rows import BoardRow, RowParticipant

TOP = 3
FITS = 100
"""The most characters of a row in a wide window, with the space between values."""
BETWEEN = 3
SMALL = 0.8
DRAWN = 14
"""The width of a picture, in small characters."""
RANKS = 3
"""The width that rank intervals add."""
HERE = 6
"""The width that ranks among the rows of a view add."""
PIXELS = 7.5
"""The width of a character."""
LONGEST_META = 25
NOTE = 18
"""The characters in a line of a note; a longer note has several lines."""
NO_STATES: Mapping[str, DescribedValue] = {}


@dataclass(frozen=True, slots=True)
class TableHeader:
    """A column's heading. `order` is the order that a click requests (`-rating`, "" for none),
    `arrow` points to the better end. `level` marks numbers that participants report."""

    key: str
    label: str
    description: str
    order: str
    sorted: str
    is_main: bool
    arrow: str
    level: str = ""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One value of a row; `moment` instead of a number where it is one.

    `spread` (`± 3.4`, or `58.9–73.1` of an interval that reaches farther on one side), `coverage`
    (`10/12`) and `level` (`reported`) belong to the value of a metric. `hint` has all further
    facts, or why there is no value; `note` has the interval, for readers who request intervals.
    `picture` draws the interval instead of `spread`, and `interval` says it. `number` is the value
    for programs, the same in all languages; "" without one. `judged` is the mean that
    people's labels make of a judge's value. is_best: whether no ranked row has a better one.
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
    picture: str = ""
    interval: str = ""
    number: str = ""
    judged: str = ""
    is_best: bool = False


class Move(NamedTuple):
    """How far a row has moved: `▲3`, its direction (`up`, `down`, `same`), and from where."""

    text: str
    direction: str
    hint: str


class TableFamily(NamedTuple):
    """The rows behind the best one of a family: `+ 3 variants`, the address of all of its rows, and
    the first of those behind it."""

    name: str
    text: str
    url: str
    lines: Sequence[TableLine]


@dataclass(frozen=True, slots=True)
class TableLine:
    """A row of the board. `rank` is `2`, or `2=` when it is shared; "" when there is none.

    attempt_id, attempts: None if the attempts of the participant are hidden from the reader.
    verified: who has checked the attempt and when; "" if nobody has. ruled: of how many samples
    somebody has decided, "" for none. late: whether it was submitted
    after the end of the phase by agreement. kind: what a row out of the
    ranking is, "" for any other. rank_range: its rank interval, such as `1–3`, and its meaning.
    move: how the final scores, or a week, have moved it; None if they have not. here: its rank
    among the rows that fit the filter of the page, "" without one. strip, course: HTML of the
    pictures of its tasks and of its participant's attempts; "" for none. meta: declared fields of
    the meta of its attempt. medal: `gold`, … and its name, None without one. family: rows behind
    it, if families are folded and it has some.
    """

    rank: str
    rank_hint: str
    top: int
    reason: str
    participant: RowParticipant
    attempt_id: UUID | None
    cells: list[TableCell]
    attempts: int | None
    reached_at: datetime
    is_own: bool = False
    verified: str = ""
    ruled: str = ""
    late: bool = False
    kind: str = ""
    rank_range: str = ""
    rank_range_hint: str = ""
    move: Move | None = None
    here: str = ""
    here_hint: str = ""
    strip: str = ""
    course: str = ""
    meta: Sequence[MetaCell] = ()
    medal: tuple[str, str] | None = None
    family: TableFamily | None = None

    @property
    def slot(self) -> str:
        """What tells its slots in a page from those of other rows."""
        return f"{self.participant.pk}:{self.attempt_id}"


def keys_in(rows: Iterable[BoardRow]) -> set[str]:
    """The keys for which a ranked row has a value or a reason for its absence.

    Unranked rows are shown in a list without columns, so they never add one to the table.
    """
    ranked = (row for row in rows if row.rank is not None)
    return {key for row in ranked for key in (*row.values, *row.cells)}


def filled(columns: Sequence[Column], keys: Collection[str]) -> list[Column]:
    """The columns that are not empty, and those that the board ranks by."""
    return [
        column
        for column in columns
        if column.ranked or column.key in keys or column.key == "submitted_at"
    ]


def are_noted(rows: Iterable[Sequence[TableCell]]) -> bool:
    """Whether a cell has a note: an interval, or the reason for a missing one."""
    return any(cell.note for row in rows for cell in row)


def is_wide(
    heads: Sequence[TableHeader], rows: Sequence[TableLine], *, notes: bool = False
) -> bool:
    """Whether a table needs a frame of its own to scroll in, even in a wide window.

    notes: whether notes are shown below the values.
    """
    return beside_values(rows) + sum(value_widths(heads, rows, notes=notes)) > FITS


def beside_values(rows: Sequence[TableLine]) -> float:
    """The characters that stand beside ranks."""
    ranks = RANKS if any(row.rank_range for row in rows) else 0
    return ranks + (HERE if any(row.here for row in rows) else 0)


def value_widths(
    heads: Sequence[TableHeader], rows: Sequence[TableLine], *, notes: bool = False
) -> list[float]:
    """The width of each column of values, in characters, with the space before the next one."""
    widths = [SMALL * max(len(head.label), len(head.level)) for head in heads]
    for row in rows:
        row_widths = (_width(cell, notes=notes) for cell in row.cells)
        widths = [max(pair) for pair in zip(widths, row_widths, strict=True)]
    return [width + BETWEEN for width in widths]


def meta_widths(labels: Sequence[str], rows: Sequence[TableLine]) -> list[float]:
    """The width of each column of meta, in characters, with the space before the next one."""
    widths = [SMALL * len(label) for label in labels]
    for row in rows:
        widths = [
            max(width, min(len(cell.text), LONGEST_META))
            for width, cell in zip(widths, row.meta, strict=True)
        ]
    return [width + BETWEEN for width in widths]


def _width(cell: TableCell, *, notes: bool) -> float:
    small = len(cell.coverage) + len(cell.level) + (len(cell.spread) if cell.is_main else 0)
    small += DRAWN if cell.picture else 0
    note = max(min(len(cell.note), NOTE) if notes else 0, min(len(cell.judged), NOTE))
    return max(len(cell.text) + SMALL * small, SMALL * note)


def headers(columns: Sequence[Column], sort: str) -> list[TableHeader]:
    """The headings; a click sorts by the better end first, a second click reverses the order."""
    return [_header(column, sort, is_main=at == 0) for at, column in enumerate(columns)]


def lines(
    columns: list[Column], rows: Sequence[BoardRow], own: BoardRow | None = None
) -> list[TableLine]:
    """The rows; `own` is the row that the page is about."""
    texts = texts_of(columns)
    about = own.participant.pk if own else None
    return [_line(texts, row, is_own=row.participant.pk == about) for row in rows]


def cells(
    texts: Iterable[CellTexts],
    values: Mapping[str, float],
    at: datetime,
    states: Mapping[str, DescribedValue] = NO_STATES,
) -> list[TableCell]:
    """The values of one attempt, which arrived `at`, the first one as the main one.

    texts: those of each column. states: further facts about its metric values, see
    `metric_labels`.
    """
    return [
        _moment(text.column, at, is_main=not place)
        if text.column.key == "submitted_at"
        else _cell(text, values, states.get(text.column.key), is_main=not place)
        for place, text in enumerate(texts)
    ]


def _header(column: Column, sort: str, *, is_main: bool) -> TableHeader:
    ascending, descending = column.key, f"-{column.key}"
    better = ascending if column.direction == "asc" else descending
    other = descending if better == ascending else ascending
    return TableHeader(
        key=column.key,
        label=column.label,
        level=_("reported") if column.level == "reported" else "",
        description=row_labels.description(column),
        order=(other if sort == better else better) if column.is_kept else "",
        sorted={ascending: "ascending", descending: "descending"}.get(sort, ""),
        is_main=is_main,
        arrow=row_labels.arrow(column) if column.is_kept else "",
    )


def _line(texts: Sequence[CellTexts], row: BoardRow, *, is_own: bool) -> TableLine:
    rank, kind = "" if row.rank is None else str(row.rank), KINDS.get(row.unranked, "")
    return TableLine(
        rank=f"{rank}=" if row.tied else rank,
        rank_hint=_("Shared with others who reached the same value") if row.tied else "",
        top=row.rank if row.rank is not None and row.rank <= TOP else 0,
        reason="" if kind or not row.unranked else _reason([text.column for text in texts], row),
        participant=row.participant,
        attempt_id=row.attempt_id,
        cells=cells(texts, row.values, row.reached_at, row.cells),
        attempts=row.attempts,
        reached_at=row.reached_at,
        is_own=is_own,
        kind=str(kind),
        here=_("#{place} here").format(place=count_text(row.here)) if row.here else "",
        here_hint=_("Rank {place} among the rows of this view").format(place=count_text(row.here))
        if row.here
        else "",
    )


def _reason(columns: list[Column], row: BoardRow) -> str:
    """Why a row has no rank, as text."""
    text = row_labels.unranked(row.unranked, columns)
    main = next((column for column in columns if column.ranked), None)
    state = row.cells.get(main.key) if main else None
    if row.unranked == "no_value" and main and state and state.get("not_ranked") == "reported":
        return _("{name} is reported without evidence").format(name=main.label)
    if row.unranked != "low_coverage":
        return text
    if main and main.over == "value" and state and state.get("not_ranked"):
        text = _("Too few values can be compared")
    states = (row.cells.get(column.key) for column in columns if column.ranked)
    covered = next((metric_labels.coverage(state) for state in states if state), "")
    return f"{text} ({covered})" if covered else text


def _moment(column: Column, at: datetime, *, is_main: bool) -> TableCell:
    label = row_labels.marked(column)
    return TableCell(label, column.text(at.timestamp()), is_main, moment=at)


def _cell(
    texts: CellTexts, values: Mapping[str, float], state: DescribedValue | None, *, is_main: bool
) -> TableCell:
    column, value = texts.column, texts.column.value(values)
    label, text = texts.label, texts.value(value)
    if value is None:
        why = metric_labels.reason(column, state) if state else ""
        return TableCell(label, text, is_main, is_empty=True, hint=why, note=why)
    number = plain_number(value)
    if state is None:
        return TableCell(label, text, is_main, number=number)
    interval = texts.interval(state)
    return TableCell(
        label,
        text,
        is_main,
        spread=texts.spread(state, value),
        coverage="" if column.key in ECONOMICS else metric_labels.coverage(state),
        level=texts.level(state),
        hint=texts.hint(state, interval),
        note=texts.note(state, interval),
        number=number,
        judged=judged.corrected(column, state),
    )
