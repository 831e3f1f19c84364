"""Notes beside rows: reasons for disqualifications, verifications, and changes of rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.languages.translation import count_text, day_text
from leaderboard.models import Board, PublicRank, Verification
from leaderboard.pages.tables.board_table import Move, TableLine
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.public_ranks import PublicRanks
from leaderboard.services.competition.organisers.marks import RowMarks
from leaderboard.services.competition.quotas.agreements import LateRows
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.medals import RowMedals


def with_marks(
    board: Board, rows: Sequence[BoardRow], lines: Sequence[TableLine]
) -> list[TableLine]:
    """The lines with their marks: the reason for a disqualification, or who verified the attempt,
    and how many of its samples were decided about.

    They say whether it was late by agreement, and on a final board how the private tasks have moved
    them.
    """
    marks, public = RowMarks(board.challenge, rows), PublicRanks(board, rows)
    late = LateRows(board, rows)
    return [
        _with(
            replace(line, late=True) if late.has(row) else line,
            marks.reason(row),
            marks.verified(row),
            marks.ruled(row),
            move_of(row, public.of(row)),
        )
        for row, line in zip(rows, lines, strict=True)
    ]


def with_medals(
    board: VisibleBoard, rows: Sequence[BoardRow], lines: Sequence[TableLine]
) -> list[TableLine]:
    """The lines with the medals of a closed phase."""
    medals = RowMedals(board)
    if not medals.are_there:
        return list(lines)
    names = {"gold": _("gold"), "silver": _("silver"), "bronze": _("bronze")}
    return [
        replace(line, medal=(medal, names[medal])) if (medal := medals.of(row)) else line
        for row, line in zip(rows, lines, strict=True)
    ]


def move_of(row: BoardRow, before: PublicRank | None) -> Move | None:
    """How far a row has moved from its rank on the public tasks."""
    if before is None or row.rank is None:
        return None
    places = before.rank - row.rank
    text = _("Rank {rank} on the public tasks").format(rank=count_text(before.rank))
    if places == 0:
        return Move("=", "same", text)
    sign = "▲" if places > 0 else "▼"
    return Move(f"{sign}{count_text(abs(places))}", "up" if places > 0 else "down", text)


def verified_text(verification: Verification) -> str:
    """Who has checked an attempt, and when."""
    return _("Verified by {name} on {day}").format(
        name=verification.name, day=day_text(verification.at)
    )


def _with(
    line: TableLine,
    reason: str | None,
    verified: Verification | None,
    ruled: int,
    move: Move | None,
) -> TableLine:
    if move:
        line = replace(line, move=move)
    if verified:
        line = replace(line, verified=verified_text(verified))
    if ruled:
        text = ngettext("{count} sample decided", "{count} samples decided", ruled)
        line = replace(line, ruled=text.format(count=count_text(ruled)))
    if reason:
        text = _("{unranked}: {reason}").format(unranked=line.reason, reason=reason)
        line = replace(line, reason=text)
    return line
