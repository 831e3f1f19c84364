"""How far rows have moved on a board since a week ago.

The ranks of a week ago are those that the attempts submitted until then have under the present
rules, without attempts that were withdrawn since. So a change of the rules moves no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.utils import timezone

from leaderboard.models import Attempt, Board
from leaderboard.rules.ranking.places import ranks
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.comparisons import compared
from leaderboard.services.board.standings.derivation import derived

WEEK: Final = timedelta(days=7)
NEW: Final = 0
"""The movement of a row that was not ranked a week ago."""
MOST_ATTEMPTS: Final = 20_000
"""A board of more attempts shows no movement: reading them would take some seconds."""


def movements(board: Board, rows: Sequence[BoardRow]) -> dict[str, int]:
    """By how many ranks rows have risen (> 0) or fallen (< 0), by their attempts (hexadecimal).

    Rows that have not moved are left out, and those that were not ranked a week ago have 0. A board
    with a row for each attempt has no movements, because its rows do not belong to participants.
    """
    if board.counting == "all":
        return {}
    since = timezone.now() - WEEK
    if board.until is not None:
        since = min(since, board.until)
    attempts = Attempt.objects.filter(phase=board.phase_id)
    is_old = attempts.filter(submitted_at__lt=since).exists()
    if not is_old or attempts[MOST_ATTEMPTS:].exists():
        return {}
    before = _ranks(Board(phase=board.phase, config=board.config, until=since))
    if not before:
        return {}
    moves: dict[str, int] = {}
    for row in rows:
        if row.attempt_id is None or row.rank is None:
            continue
        rank = before.get(row.participant.pk)
        if rank != row.rank:
            moves[row.attempt_id.hex] = NEW if rank is None else rank - row.rank
    return moves


def _ranks(board: Board) -> dict[int, int]:
    """The ranks of all ranked participants, by their ids."""
    lines = [line for line in compared(board.ranked_by, derived(board)) if not line.place.unranked]
    lines.sort(key=lambda line: line.place.sort_key)
    places = ranks(line.place.rank_key for line in lines)
    return {line.participant_id: rank for line, rank in zip(lines, places, strict=True)}
