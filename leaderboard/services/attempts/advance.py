"""Moving the best attempts of a phase into the next one, once per phase.

The attempt of a participant that counts on the final board of the phase is copied: with what was
submitted and when, but without its score. Workers score the copy like any other attempt. The
attempts themselves stay, because the board of the closed phase would lose its best rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from leaderboard.messages import queue
from leaderboard.models import Attempt, Board, Challenge, Participant, Phase, User
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.advances import AdvanceFields
from leaderboard.schemas.phases import written
from leaderboard.services.attempts.copies import copied
from leaderboard.services.board.boards import shown_boards
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow, RowParticipant
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.transactions import retried

NOTIFICATIONS = 8


class Moved(NamedTuple):
    """A participant that moves. copy: the id of the new attempt; None in a dry run."""

    participant: RowParticipant
    rank: int
    attempt: UUID
    copy: UUID | None


class Advance(NamedTuple):
    """Who moves into a phase. at: when they have moved; None in a dry run."""

    into: Phase
    at: datetime | None
    moved: Sequence[Moved]


def advance(
    phase: Phase, asked: AdvanceFields, *, user: User | None, dry_run: bool = False
) -> Advance:
    """Copy the best attempts of a closed phase into the next one; a dry run says which ones.

    Raises ServiceError: `conflict` if the phase was advanced before, has not closed, has attempts
    without a score, or if no open or later phase follows; `invalid` if a participant has no rank.
    """
    return retried(partial(_advance, phase, asked, user, dry_run))


def following(phase: Phase) -> Phase | None:
    """The phase after this one in the order of the challenge."""
    phases = list(Phase.objects.filter(challenge=phase.challenge_id))
    at = phases.index(phase)
    return phases[at + 1] if at + 1 < len(phases) else None


def _advance(phase: Phase, asked: AdvanceFields, user: User | None, dry_run: bool) -> Advance:
    challenge = Challenge.objects.lock_challenge(phase.challenge_id)
    phase, now = Phase.objects.get(pk=phase.pk), received_now()
    into = _checked(phase, now)
    rows = _rows(challenge, phase, asked)
    if dry_run:
        return Advance(into, None, [_moved(row, None) for row in rows])
    copies = copied([_attempt(row) for row in rows], challenge, into)
    phase.advanced_at, phase.advanced = now, len(rows)
    phase.save(update_fields=["advanced_at", "advanced"])
    after = {"advanced": len(rows), "into": into.slug, "advanced_at": written(now)}
    record(
        challenge.pk,
        AuditKind.PHASE,
        by=user,
        before={},
        after=after,
        named=phase.slug,
        public=True,
    )
    transaction.on_commit(lambda: queue.notify_workers(min(NOTIFICATIONS, len(rows))))
    return Advance(into, now, [_moved(row, copies[_attempt(row)]) for row in rows])


def _checked(phase: Phase, now: datetime) -> Phase:
    """The phase that follows, if the best of this one may move there now."""
    if phase.advanced_at is not None:
        moment = written(phase.advanced_at)
        text = gettext("The best {count} of this phase were moved on {moment}.")
        facts = {"advanced_at": moment, "advanced": phase.advanced}
        raise _conflict(text.format(count=phase.advanced, moment=moment), facts)
    into = following(phase)
    if into is None:
        raise _conflict(gettext("No phase follows this one."))
    if not phase.has_ended(now):
        raise _conflict(gettext("The phase has not closed yet."))
    if into.closes_at is not None and into.closes_at <= now:
        raise _conflict(gettext("The next phase has closed already."))
    waiting = Attempt.objects.filter(phase=phase).exclude(
        status__in=(Attempt.Status.SCORED, Attempt.Status.FAILED)
    )
    if waiting.exists():
        raise _conflict(gettext("Attempts of this phase still wait for their scores."))
    return into


def _conflict(text: str, facts: dict[str, str | int | None] | None = None) -> ServiceError:
    return ServiceError("conflict", text, facts=facts)


def _rows(challenge: Challenge, phase: Phase, asked: AdvanceFields) -> list[BoardRow]:
    """The rows of those who move, the best first."""
    board = next(board for board in shown_boards(challenge) if board.phase_id == phase.pk)
    if phase.final_part != TaskPart.PUBLIC and challenge.shown.shows(phase.pk) is not None:
        raise _conflict(gettext("The final scores of this phase are not computed yet."))
    if not board.is_complete:
        raise _conflict(gettext("The board of this phase is being made. Try again in a minute."))
    if asked.participants is not None:
        rows = {row.participant.pk: row for row in _named(board, asked.participants)}
        return sorted(rows.values(), key=lambda row: row.sort_key)
    return list(_best(ranking.every_row(board), asked.best or 0))


def _best(rows: Iterable[BoardRow], most: int) -> Iterator[BoardRow]:
    """The best row of each of the first participants, with all that share the last rank.

    A board may have several rows of a participant; ranks are those among participants.
    """
    participants: set[int] = set()
    rank, last = 0, b""
    for row in rows:
        if row.rank is None:
            return
        if row.participant.pk in participants:
            continue
        participants.add(row.participant.pk)
        if row.rank_key != last:
            rank, last = len(participants), row.rank_key
        if rank > most:
            return
        yield row._replace(rank=rank)


def _named(board: Board, names: Sequence[str]) -> Iterator[BoardRow]:
    for at, name in enumerate(names):
        who = Participant.objects.called(board.challenge, name)
        row = ranking.standing_of(board, who) if who else None
        if row is None or row.rank is None:
            text = gettext("must be the slug of a participant with a rank; got {sent}")
            raise invalid(f"participants.{at}", text.format(sent=sent(name)))
        yield row


def _attempt(row: BoardRow) -> UUID:
    if row.attempt_id is None:
        raise ValueError("A row that nobody hides has an attempt.")
    return row.attempt_id


def _moved(row: BoardRow, copy: UUID | None) -> Moved:
    return Moved(row.participant, row.rank or 0, _attempt(row), copy)
