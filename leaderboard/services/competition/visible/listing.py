"""The list of challenges as a reader sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from leaderboard.models import Challenge
from leaderboard.rules.visibility.view import Extent
from leaderboard.services.board.reading.listing import Listed, listed
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.board_rights import visible_row
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainties_of
from leaderboard.services.competition.visible.viewers import Viewer, accesses_of


@dataclass(frozen=True, slots=True)
class VisibleChallenge:
    """A challenge in a list, with the first ranked rows of its current board.

    participants: how many rows the board has; None if the reader does not see all of them. Then
    there are no leaders either. is_frozen: whether the reader sees the board before its freeze.
    certain: see `certainties_of`; None if there is none, or the reader may not know.
    closes_at: when its current phase closes.
    """

    challenge: Challenge
    leaders: Sequence[BoardRow]
    participants: int | None
    is_frozen: bool = False
    certain: VisibleCertainty | None = None
    closes_at: datetime | None = None


def visible_listing(challenges: Sequence[Challenge], reader: Viewer) -> list[VisibleChallenge]:
    """These challenges, in as many statements as for one. They come with `shown_config`."""
    accesses = accesses_of(challenges, reader)
    frozen = {phase for access in accesses.values() for phase in access.frozen}
    rows = listed(challenges, frozen)
    boards = (VisibleBoard(row.board, accesses[row.challenge.pk]) for row in rows if row.board)
    certain = certainties_of(boards)
    visible_challenges = (_visible_challenge(row, accesses[row.challenge.pk]) for row in rows)
    return [
        replace(visible, certain=certain.get(row.board.pk), closes_at=row.board.phase.closes_at)
        if row.board
        else visible
        for row, visible in zip(rows, visible_challenges, strict=True)
    ]


def _visible_challenge(row: Listed, access: Access) -> VisibleChallenge:
    phase_id = row.board.phase_id if row.board else None
    is_frozen = phase_id in access.frozen
    if access.view(phase_id).board is not Extent.ALL:
        return VisibleChallenge(row.challenge, [], None, is_frozen)
    if not access.is_limited or phase_id is None:
        return VisibleChallenge(row.challenge, row.leaders, row.participants, is_frozen)
    config = row.challenge.shown
    leaders = [visible_row(leader, access, phase_id, config) for leader in row.leaders]
    return VisibleChallenge(row.challenge, leaders, row.participants, is_frozen)
