"""Participants in addresses of a challenge, as far as a reader may know of them."""

from __future__ import annotations

from leaderboard.models import Challenge, Participant
from leaderboard.services.board.boards import current_board, shown_boards
from leaderboard.services.competition.names import merged_into, renamed_from
from leaderboard.services.competition.seen_board import SeenBoard, seen
from leaderboard.services.competition.sight import Called, Sight


def renamed_for(sight: Sight, challenge: Challenge, slug: str) -> Called | None:
    """The participant that once had this slug, or the team of which it has become a part.

    None if the reader does not see its name.
    """
    found = renamed_from(challenge, slug) or Participant.objects.called(challenge, slug)
    if found is None:
        return None
    return sight.under_name(merged_into(challenge, found) or found)


def board_about(sight: Sight, challenge: Challenge, called: Called) -> SeenBoard:
    """The board of the current phase, or of the nearest phase that shows the name to the reader."""
    boards = shown_boards(challenge)
    those = [each for each in boards if called.covers(each.phase_id)]
    return seen(current_board(those or boards), sight)


def takes_part(board: SeenBoard, called: Called) -> bool:
    """Whether the reader may know that a participant takes part under this name.

    By an attempt that the reader may know of, or by a row of the board.
    """
    who, sight = called.participant, board.sight
    mine = board.challenge.attempts.filter(called.attempts(), sight.attempts())
    if mine.exists():
        return True
    is_there = sight.is_limited and called.covers(board.phase_id)
    return is_there and board.standing_of(who) is not None
