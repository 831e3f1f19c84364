"""Participants in addresses of a challenge, as far as a reader may know of them."""

from __future__ import annotations

from leaderboard.models import Challenge, Participant
from leaderboard.services.board.boards import board_of, current_board, shown_boards
from leaderboard.services.competition.participants.names import merged_into, renamed_from
from leaderboard.services.competition.visible.access import Access, Called
from leaderboard.services.competition.visible.board import VisibleBoard, visible_board


def renamed_for(access: Access, challenge: Challenge, slug: str) -> Called | None:
    """The participant that once had this slug, or the team of which it has become a part.

    None if the reader does not see its name.
    """
    participant = renamed_from(challenge, slug) or Participant.objects.called(challenge, slug)
    if participant is None:
        return None
    return access.under_name(merged_into(challenge, participant) or participant)


def board_about(
    access: Access, challenge: Challenge, called: Called, phase: str = ""
) -> VisibleBoard:
    """The board of a phase, for what is told about one participant.

    phase: its slug. Without one, the board that the challenge shows, or, if the participant has no
    row there, the one of the last phase in which it has one. Only phases that show the name to the
    reader count, if there are any.
    """
    boards = shown_boards(challenge)
    those = [board for board in boards if called.covers(board.phase_id)]
    if named := board_of(those, phase):
        return visible_board(named, access)
    default = current_board(those or boards)
    other_boards = [board for board in reversed(those) if board is not default]
    for stored in (default, *other_boards) if other_boards else ():
        board = visible_board(stored, access)
        if board.standing_of(called.participant) is not None:
            return board
    return visible_board(default, access)


def takes_part(board: VisibleBoard, called: Called) -> bool:
    """Whether the reader may know that a participant takes part under this name.

    By an attempt that the reader may know of, or by a row of the board.
    """
    who, access = called.participant, board.access
    mine = board.challenge.attempts.filter(called.attempts(), access.attempts())
    if mine.exists():
        return True
    is_there = access.is_limited and called.covers(board.phase_id)
    return is_there and board.standing_of(who) is not None
