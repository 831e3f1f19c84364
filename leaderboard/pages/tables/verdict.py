"""The verdict of a board in words, and the rank intervals of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text, moment_text, translated
from leaderboard.pages.charts.axes import TIME
from leaderboard.pages.labels.rank_ranges import rank_range
from leaderboard.pages.labels.row_labels import duration
from leaderboard.pages.tables.board_table import Move, TableLine
from leaderboard.pages.tables.differences import difference_writer, value_writer
from leaderboard.pages.tables.lead_facts import LeadFacts, cheaper, lead_facts
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.certainty import VisibleCertainty

_BEGIN, _END = "\x02", "\x03"
"""Marks around a name in a sentence; no name contains them."""


@dataclass(frozen=True, slots=True)
class BoardVerdict:
    """The verdict, ready to show. headline: HTML. text: the same without marks. remarks: sentences.

    facts: what is known of the lead besides.
    """

    state: str
    headline: SafeString
    text: str
    remarks: list[str]
    has_intervals: bool
    facts: LeadFacts | None = None


def board_verdict(
    certainty: VisibleCertainty, columns: Sequence[Column], rows: Sequence[BoardRow], slug: str
) -> BoardVerdict:
    """The verdict in the reader's language. columns: the first decides the order. rows: the first
    ones of the board, whose challenge has this slug."""
    column = columns[0]
    write_value, apart = value_writer(column), difference_writer(column)
    name, saves = cheaper(certainty, columns, rows)
    sentences = [
        *(translated(sentence) for sentence in certainty.headline(write_value, _marked, apart)),
        saves.replace("{name}", _marked(name)),
    ]
    headline = " ".join(filter(None, sentences))
    remarks = [translated(remark) for remark in certainty.remarks(apart)]
    if certainty.compared < certainty.ranked:
        count = certainty.compared
        first = ngettext(
            "Only the first {count} row is compared.",
            "Only the first {count} rows are compared.",
            count,
        )
        remarks.append(first.format(count=count_text(count)))
    return BoardVerdict(
        certainty.verdict.state,
        _html(headline),
        _plain(headline),
        remarks,
        certainty.has_intervals,
        lead_facts(certainty, columns, rows, slug),
    )


def verdict_of_times(rows: Sequence[BoardRow], column: Column) -> BoardVerdict | None:
    """Who was the first on a board that ranks by the time; None for any other board.

    rows: the first rows of the board. column: the one that decides the order.
    """
    ranked = [row for row in rows if row.rank is not None]
    if column.key != TIME or column.direction != "asc" or not ranked:
        return None
    leader, *followers = ranked
    names = {"leader": _marked(leader.participant.shown_name)}
    if not followers:
        headline = _("{leader} is the only ranked entry.").format(**names)
    else:
        later = (followers[0].reached_at - leader.reached_at).total_seconds()
        headline = _(
            "{leader} was the first, on {moment} UTC; {second} followed {duration} later."
        ).format(
            **names,
            moment=moment_text(leader.reached_at),
            second=_marked(followers[0].participant.shown_name),
            duration=duration(later),
        )
    return BoardVerdict("first", _html(headline), _plain(headline), [], has_intervals=False)


def with_certainty(
    certainty: VisibleCertainty | None, rows: Sequence[BoardRow], lines: Sequence[TableLine]
) -> list[TableLine]:
    """The lines of some rows with their rank intervals, if the board has any, and movements."""
    if certainty is None:
        return list(lines)
    return [
        _with_certainty(certainty, row, line) if row.rank is not None else line
        for row, line in zip(rows, lines, strict=True)
    ]


def _with_certainty(certainty: VisibleCertainty, row: BoardRow, line: TableLine) -> TableLine:
    text, hint = rank_range(certainty, row)
    move = line.move or _move(certainty.moved(row)) or _new(certainty, row)
    return replace(line, rank_range=text, rank_range_hint=hint, move=move)


def _new(certainty: VisibleCertainty, row: BoardRow) -> Move | None:
    if not certainty.is_new(row):
        return None
    return Move(_("new"), "new", _("not ranked a week ago"))


def _move(ranks: int) -> Move | None:
    """How far a row has moved in a week; None if it has not."""
    if not ranks:
        return None
    count = count_text(abs(ranks))
    if ranks > 0:
        risen = ngettext("up {count} rank in a week", "up {count} ranks in a week", ranks)
        return Move(f"▲{count}", "up", risen.format(count=count))
    fallen = ngettext("down {count} rank in a week", "down {count} ranks in a week", -ranks)
    return Move(f"▼{count}", "down", fallen.format(count=count))


def uncertain_lead(certainty: VisibleCertainty | None, column: Column) -> str:
    """The verdict as plain text, for places that name the leader; "" if the lead is clear."""
    if certainty is None or certainty.verdict.state in ("clear_lead", "alone"):
        return ""
    return lead_text(certainty, column)


def lead_text(certainty: VisibleCertainty | None, column: Column) -> str:
    """The verdict as plain text; "" if nothing is known."""
    if certainty is None:
        return ""
    writers = value_writer(column), str, difference_writer(column)
    return " ".join(translated(sentence) for sentence in certainty.headline(*writers))


def uncertain_order(certainty: VisibleCertainty | None) -> str:
    """How certain the order of the first rows is, without names; "" if nothing is known."""
    if certainty is None:
        return ""
    match certainty.verdict.state:
        case "clear_lead":
            return _("The lead is clear.")
        case "too_few_tasks":
            return _("Too few tasks to tell entries apart.")
        case "not_the_same_tasks":
            return _("The entries ran different tasks, so their order is not certain.")
        case "not_told_apart":
            count = len(certainty.verdict.not_told_apart)
            return ngettext(
                "{count} entry cannot be told apart from the first.",
                "{count} entries cannot be told apart from the first.",
                count,
            ).format(count=count_text(count))
    return ""


def _marked(name: str) -> str:
    return f"{_BEGIN}{name}{_END}"


def _plain(text: str) -> str:
    return text.replace(_BEGIN, "").replace(_END, "")


def _html(text: str) -> SafeString:
    """A text as HTML, with names set off."""
    safe = escape(text)
    return mark_safe(  # noqa: S308 - escaped above
        safe.replace(_BEGIN, "<strong><bdi>").replace(_END, "</bdi></strong>")
    )
