"""Agreed deadlines: a grant that ends after its phase opens the phase for one participant.

An attempt that is submitted then is late by agreement: it counts, and keeps the agreed moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.models import Attempt, Board, Grant, Participant, Phase, User
from leaderboard.services.board.reading.rows import BoardRow

Agreements = Mapping[int, Mapping[int, datetime]]
"""Until when participants may submit to phases that have closed, by the ids of both."""


def agreements_of(challenge_id: UUID, user: User, moment: datetime) -> Agreements:
    """The agreements of the participants under whose names a user may submit, at a moment."""
    return _by_phase(
        _current(moment).filter(
            phase__challenge=challenge_id, participant__in=Participant.objects.of(user)
        )
    )


def has_agreement(phase: Phase, participant: int, moment: datetime) -> bool:
    """Whether a phase that has closed is open for a participant."""
    return _current(moment).filter(phase=phase, participant=participant).exists()


class LateRows:
    """Which rows of a board stand for an attempt that was late by agreement.

    rows: those that are asked about; None: any. Nothing is read of a phase without such attempts,
    nor of a frozen board, which ends before them.
    """

    def __init__(self, board: Board, rows: Sequence[BoardRow] | None = None) -> None:
        self._phase = board.phase
        self._rows = rows
        self.are_there = board.phase.has_late and board.until is None

    def has(self, row: BoardRow) -> bool:
        return self.are_there and row.attempt_id in self._late

    @cached_property
    def _late(self) -> frozenset[UUID]:
        late = Attempt.objects.filter(phase=self._phase, agreed_until__isnull=False)
        if self._rows is not None:
            late = late.filter(pk__in=[row.attempt_id for row in self._rows if row.attempt_id])
        return frozenset(late.values_list("pk", flat=True))


def mark_late_phases(phases: Iterable[int]) -> None:
    """Record that phases have late attempts, in the transaction that saves these."""
    Phase.objects.filter(pk__in=set(phases), has_late=False).update(has_late=True)


def _current(moment: datetime) -> QuerySet[Grant]:
    return Grant.objects.filter(phase__closes_at__lte=moment, until__gt=moment)


def _by_phase(grants: QuerySet[Grant]) -> Agreements:
    agreements: dict[int, dict[int, datetime]] = {}
    rows = grants.order_by("until").values_list("phase", "participant", "until")
    for phase, participant, until in rows:
        if participant is not None and until is not None:
            agreements.setdefault(phase, {})[participant] = until
    return agreements
