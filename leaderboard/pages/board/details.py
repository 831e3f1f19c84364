"""What a board shows about rows besides values: strips, courses, groups, the reader's row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text
from leaderboard.models import BoardCertainty
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.tables.board_table import TableLine, lines
from leaderboard.pages.tables.meta import meta_cells
from leaderboard.pages.tables.row_pictures import (
    StripLegend,
    StripTexts,
    strip_legend,
    strip_texts,
    why_no_strips,
    with_pictures,
)
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.totals import Totals
from leaderboard.services.competition.visible.board import SeenBoard
from leaderboard.services.competition.visible.certainty import SeenCertainty
from leaderboard.services.competition.visible.own_rows import NO_OWN_ROWS, OwnRows, own_rows
from leaderboard.services.competition.visible.summary import SeenSummary, summary_in

OWN_ANCHOR = "own-row"


class BoardQuestion(NamedTuple):
    """A page of a board: what its URL asks for, and the rows that answer it."""

    board: SeenBoard
    asked: BoardParameters
    rows: Sequence[BoardRow]
    totals: Totals | None


class BoardTable(NamedTuple):
    """The rows of a page as lines of a table, and how certain their order is.

    judged: what is stored of the board. choosable: all columns that the reader may choose. fields:
    the declared fields of meta that the page shows.
    """

    judged: BoardCertainty | None
    certain: SeenCertainty | None
    choosable: list[Column]
    columns: list[Column]
    lines: Sequence[TableLine]
    fields: Sequence[MetaField] = ()


class LineGroup(NamedTuple):
    """Rows that cannot be told apart from the first of them. label: HTML."""

    label: SafeString | str
    lines: list[TableLine]


class OwnLine(NamedTuple):
    """The reader's own row. pinned: the row, unless the page shows it among the others. url: the
    row in its place on the board."""

    pinned: list[TableLine]
    url: str


class BoardActivity(NamedTuple):
    """The entries and attempts of a board, each as a number and as a text."""

    entries: int
    entries_text: str
    attempts: int
    attempts_text: str
    last: datetime
    in_a_week: str


class BoardDetails(NamedTuple):
    """Everything a board page shows about its rows besides their values. lines: all rows.

    no_strips: why no row has a strip; "" if some have or nobody expects one.
    """

    lines: list[TableLine]
    legend: StripLegend | None
    no_strips: str
    activity: BoardActivity | None
    own: OwnLine | None
    can_group: bool
    groups: list[LineGroup]

    @property
    def strip_width(self) -> float:
        """The width of the strips of tasks, in pixels; 0 for none."""
        return self.legend.width if self.legend else 0.0

    def template_context(self) -> dict[str, object]:
        """What the template shows besides the lines."""
        return {
            "strip_legend": self.legend,
            "no_strips": self.no_strips,
            "activity": self.activity,
            "own": self.own,
            "can_group": self.can_group,
            "groups": self.groups,
        }


def details(request: HttpRequest, question: BoardQuestion, table: BoardTable) -> BoardDetails:
    """The strips, courses and groups of a page, and the reader's own row."""
    board, asked, rows = question.board, question.asked, question.rows
    summary, columns = summary_in(board, table.judged), table.columns
    columns_by_key = {column.key: column for column in table.choosable}
    texts = strip_texts(summary, columns_by_key, board.challenge.slug, asked.phase)
    mine = own_rows(board, signed_in(request)) if request.user.is_authenticated else NO_OWN_ROWS
    drawn_lines = with_pictures(summary, columns, rows, table.lines, texts)
    drawn_lines = [_marked(mine, row, line) for row, line in zip(rows, drawn_lines, strict=True)]
    strips = [solved for row in rows if (solved := summary.solved(row)) is not None]
    legend = None
    if texts is not None and strips:
        legend = strip_legend(texts, columns_by_key[texts.strips.metric], strips)
    why = ""
    if legend is None and rows:
        first, of_means = next(iter(columns), None), board.board.counting == "mean"
        why = why_no_strips(summary, texts, first, rows[0], of_means=of_means)
    certain = table.certain if asked.is_plain else None
    can_group = certain is not None and certain.has_groups
    grouped = can_group and request.GET.get("groups") == "1"
    return BoardDetails(
        drawn_lines,
        legend,
        why,
        _activity(summary, question.totals),
        _own(question, mine, lambda row: _drawn(board, table, summary, texts, row)),
        can_group,
        _groups(certain, rows, drawn_lines) if certain is not None and grouped else [],
    )


def _drawn(
    board: SeenBoard,
    table: BoardTable,
    summary: SeenSummary,
    texts: StripTexts | None,
    row: BoardRow,
) -> TableLine:
    """A single row with its pictures."""
    columns, fields = table.columns, table.fields
    (line,) = with_pictures(summary, columns, [row], lines(columns, [row]), texts)
    row_with_meta = board.with_meta([row])[0] if fields else row
    return replace(line, is_own=True, meta=meta_cells(fields, row_with_meta))


def _marked(mine: OwnRows, row: BoardRow, line: TableLine) -> TableLine:
    """A line that is the reader's own; the first one has an anchor."""
    if row.participant.pk not in mine.participants:
        return line
    is_best = mine.best is not None and mine.best.sort_key == row.sort_key
    return replace(line, is_own=True, anchor=OWN_ANCHOR if is_best else "")


def _own(
    question: BoardQuestion, mine: OwnRows, drawn: Callable[[BoardRow], TableLine]
) -> OwnLine | None:
    """drawn: makes the line of a row that the page does not show."""
    best, asked = mine.best, question.asked
    if best is None:
        return None
    if any(row.sort_key == best.sort_key for row in question.rows):
        return OwnLine([], f"#{OWN_ANCHOR}")
    page = mine.position // asked.size + 1
    parameters = {"phase": asked.phase, "page": f"{page}" if page > 1 else ""}
    query = urlencode({name: value for name, value in parameters.items() if value})
    address = reverse("board", args=[question.board.challenge.slug])
    return OwnLine([drawn(best)], f"{address}{'?' + query if query else ''}#{OWN_ANCHOR}")


def _activity(summary: SeenSummary, totals: Totals | None) -> BoardActivity | None:
    activity = summary.activity
    if activity is None or totals is None:
        return None
    texts = map(count_text, (totals.total, activity.attempts, activity.in_a_week))
    entries, attempts, in_a_week = texts
    return BoardActivity(
        totals.total, entries, activity.attempts, attempts, activity.last, in_a_week
    )


def _groups(
    certain: SeenCertainty, rows: Sequence[BoardRow], drawn_lines: Sequence[TableLine]
) -> list[LineGroup]:
    """The rows of the page by their groups, those without one at the end."""
    lines_by_group: dict[int | None, list[TableLine]] = {}
    for row, line in zip(rows, drawn_lines, strict=True):
        if not line.reason:
            lines_by_group.setdefault(certain.group(row), []).append(line)
    numbers = sorted(number for number in lines_by_group if number is not None)
    groups = [
        LineGroup(_label(certain, number, lines_by_group[number]), lines_by_group[number])
        for number in numbers
    ]
    if rest := lines_by_group.get(None):
        groups.append(LineGroup(_("Not compared"), rest))
    return groups


def _label(certain: SeenCertainty, number: int, those: Sequence[TableLine]) -> SafeString | str:
    """`Group 1: Juniper, and 8 entries that cannot be told apart from it`."""
    members = certain.certainty.groups
    first = members.index(number)
    others = members.count(number) - 1
    names = {line.participant.pk: line.participant.shown_name for line in those}
    name = names.get(certain.certainty.rows[first].participant)
    count = count_text(number + 1)
    if name is None:
        return _("Group {number}, continued").format(number=count)
    if not others:
        text = _("Group {number}: {name}")
    else:
        text = ngettext(
            "Group {number}: {name}, and {count} entry that cannot be told apart from it",
            "Group {number}: {name}, and {count} entries that cannot be told apart from it",
            others,
        )
    called = format_html("<bdi>{}</bdi>", name)
    return format_html(text, number=count, name=called, count=count_text(others))
