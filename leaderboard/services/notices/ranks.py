"""Tells members that the rank of their participant has fallen beyond its interval.

Workers compute how certain the order of a board is, and keep the ranks of the version before. At
most once an hour for each board, they are compared. Nobody is told of ranks that they cannot see.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from leaderboard.models import Board, BoardCertainty, Participant, User
from leaderboard.rules.json.packing import unpacked
from leaderboard.rules.statistics.certainties import lost_places, stored_intervals
from leaderboard.schemas.choices import NoticeKind
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from leaderboard.services.notices.concerned import members_of, without_senders
from leaderboard.services.notices.making import NewNotice, save_notices
from leaderboard.services.one_by_one import one_by_one

EACH: Final = timedelta(hours=1)
BOARDS_AT_ONCE: Final = 20


def tell_of_lost_ranks() -> int:
    """Make the notices about all boards whose ranks were not compared within an hour.

    A frozen board waits for its reveal. Returns how many were made.
    """
    frozen = Q(board__phase__freezes_at__lte=Now())
    revealed = Q(board__phase__reveals_at__lte=Now())
    due = BoardCertainty.objects.filter(
        Q(told_at=None) | Q(told_at__lt=Now() - EACH),
        Q(board__phase__freezes_at=None) | ~frozen | revealed,
        before__isnull=False,
        board__until=None,
        board__config__challenge__shown_config=F("board__config"),
    )
    return sum(one_by_one(_tell, list(due.values_list("pk", flat=True)[:BOARDS_AT_ONCE])))


def _tell(pk: int) -> int:
    rows = BoardCertainty.objects.select_related("board__phase", "board__config__challenge")
    stored = rows.filter(pk=pk, before__isnull=False).first()
    if stored is None or stored.before is None:
        return 0
    board, now = stored.board, received_now()
    after = unpacked(stored.rows) if stored.rows else []
    lost = lost_places(unpacked(stored.before), after)
    new = _notices(board, lost, stored_intervals(after), stored.version) if lost else []
    with transaction.atomic():
        made = save_notices(board.config.challenge_id, new, now) if new else 0
        same = BoardCertainty.objects.filter(pk=pk, version=stored.version, before__isnull=False)
        if not same.update(before=None, told_at=now):
            transaction.set_rollback(True)
            return 0
    return made


def _notices(
    board: Board, lost: dict[int, int], intervals: dict[int, tuple[int, int]], version: int
) -> list[NewNotice]:
    """lost, intervals: the worst rank that was expected, and those of now, by participants."""
    challenge = board.config.challenge
    participants = {row.pk: row for row in Participant.objects.filter(pk__in=lost)}
    users = without_senders(challenge.pk, members_of(challenge.pk, participants))
    readers = {user.pk: user for user in User.objects.filter(pk__in=set().union(*users.values()))}
    notices = []
    for participant, members in users.items():
        for user in members:
            rank = _visible_rank(board, readers[user], participants[participant])
            if rank is not None and rank > lost[participant]:
                key = f"rank:{board.pk}:{version}:{participant}"
                body = {"rank": rank, "phase": board.phase.slug}
                if ends := intervals.get(participant):
                    body |= {"best": ends[0], "worst": ends[1]}
                notices.append(NewNotice([user], key, NoticeKind.RANKS, "rank", body))
    return notices


def _visible_rank(board: Board, user: User, participant: Participant) -> int | None:
    """The rank as the user sees it now; None where it is hidden, frozen, or of inexact scores."""
    access = access_of(board.config.challenge, Viewer(user=user, organises=True))
    visible = VisibleBoard(board, access)
    if board.phase_id in access.frozen or not visible.is_whole or not visible.view.is_exact:
        return None
    row = visible.standing_of(participant)
    return row.rank if row else None
