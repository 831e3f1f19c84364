"""What organisers say of rows: why participants are disqualified, and who verified attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Verification
from leaderboard.pages.table import TableLine
from leaderboard.services.board.rows import Row
from leaderboard.services.competition.marks import RowMarks
from leaderboard.translation import day_text


def with_marks(
    challenge: Challenge, rows: Sequence[Row], lines: Sequence[TableLine]
) -> list[TableLine]:
    """The lines of some rows: disqualified ones say why they are, verified ones who checked."""
    marks = RowMarks(challenge, rows)
    return [
        _with(line, marks.reason(row), marks.verified(row))
        for row, line in zip(rows, lines, strict=True)
    ]


def verified_text(found: Verification) -> str:
    """Who has checked an attempt, and when."""
    return _("Verified by {name} on {day}").format(name=found.name, day=day_text(found.at))


def _with(line: TableLine, reason: str | None, verified: Verification | None) -> TableLine:
    if verified:
        line = replace(line, verified=verified_text(verified))
    if reason:
        text = _("{unranked}: {reason}").format(unranked=line.reason, reason=reason)
        line = replace(line, reason=text)
    return line
