"""What a board shows about rows besides values: strips, courses, groups."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.pages.tables.row_pictures import (
    StripLegend,
    strip_legend,
    strip_texts,
    why_no_strips,
    with_pictures,
)
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.rules.visibility.meta_values import MetaField
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.reading.totals import Totals
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.board_contents import BoardContents
from leaderboard.services.competition.visible.certainty import VisibleCertainty
from leaderboard.services.competition.visible.summary import VisibleSummary


class BoardQuestion(NamedTuple):
    """A page of a board: what its URL asks for, and what was read to answer it."""

    board: VisibleBoard
    asked: BoardParameters
    contents: BoardContents

    @property
    def rows(self) -> Sequence[BoardRow]:
        return self.contents.rows


class BoardTable(NamedTuple):
    """The rows of a page as lines of a table.

    choosable: all columns that the reader may choose. fields: the declared fields of meta that the
    page shows.
    """

    choosable: list[Column]
    columns: list[Column]
    lines: Sequence[TableLine]
    fields: Sequence[MetaField] = ()


class LineGroup(NamedTuple):
    """Rows that cannot be told apart from the first of them. label: HTML."""

    label: SafeString | str
    lines: list[TableLine]


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
            "can_group": self.can_group,
            "groups": self.groups,
        }


def details(request: HttpRequest, question: BoardQuestion, table: BoardTable) -> BoardDetails:
    """The strips, courses and groups of a page."""
    board, asked, rows = question.board, question.asked, question.rows
    summary, columns = question.contents.summary, table.columns
    columns_by_key = {column.key: column for column in table.choosable}
    texts = strip_texts(summary, columns_by_key, board.challenge.slug, asked.phase)
    drawn_lines = with_pictures(summary, columns, rows, table.lines, texts)
    strips = [solved for row in rows if (solved := summary.solved(row)) is not None]
    legend = None
    if texts is not None and strips:
        legend = strip_legend(texts, columns_by_key[texts.strips.metric], strips)
    why = ""
    if legend is None and rows:
        first, of_means = next(iter(columns), None), board.board.counting == "mean"
        why = why_no_strips(summary, texts, first, rows[0], of_means=of_means)
    certain = question.contents.certain if asked.is_plain else None
    can_group = certain is not None and certain.has_groups
    grouped = can_group and request.GET.get("groups") == "1"
    return BoardDetails(
        drawn_lines,
        legend,
        why,
        _activity(summary, question.contents.totals),
        can_group,
        _groups(certain, rows, drawn_lines) if certain is not None and grouped else [],
    )


def _activity(summary: VisibleSummary, totals: Totals | None) -> BoardActivity | None:
    activity = summary.activity
    if activity is None or totals is None:
        return None
    texts = map(count_text, (totals.total, activity.attempts, activity.in_a_week))
    entries, attempts, in_a_week = texts
    return BoardActivity(
        totals.total, entries, activity.attempts, attempts, activity.last, in_a_week
    )


def _groups(
    certain: VisibleCertainty, rows: Sequence[BoardRow], drawn_lines: Sequence[TableLine]
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


def _label(certain: VisibleCertainty, number: int, those: Sequence[TableLine]) -> SafeString | str:
    """`Group 1: Juniper, and 8 entries that cannot be told apart from it`."""
    members = certain.certainty.groups
    first = members.index(number)
    companions = members.count(number) - 1
    names = {line.participant.pk: line.participant.shown_name for line in those}
    name = names.get(certain.certainty.rows[first].participant)
    count = count_text(number + 1)
    if name is None:
        return _("Group {number}, continued").format(number=count)
    if not companions:
        text = _("Group {number}: {name}")
    else:
        text = ngettext(
            "Group {number}: {name}, and {count} entry that cannot be told apart from it",
            "Group {number}: {name}, and {count} entries that cannot be told apart from it",
            companions,
        )
    called = format_html("<bdi>{}</bdi>", name)
    return format_html(text, number=count, name=called, count=count_text(companions))
