"""Participants choose the attempts that count, where a phase lets them.

The best of the chosen attempts stands on the board; without a chosen attempt that can be ranked it
is the best of all.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Attempt, Challenge, Phase, User
from leaderboard.rules.ranking.places import counting_of
from leaderboard.services.board.boards import CountsIn
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.competition.audit import record_attempt
from leaderboard.services.competition.clock import iso, received_now
from leaderboard.services.competition.participants.ownership import is_own
from leaderboard.services.competition.quotas.agreements import has_agreement
from leaderboard.services.errors import ServiceError
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.transactions import retried


class AttemptChoice(NamedTuple):
    """What a user may do with an attempt of a phase in which participants choose.

    chosen: how many attempts of the participant are chosen, of at most `most`.
    """

    is_chosen: bool
    chosen: int
    most: int

    @property
    def is_full(self) -> bool:
        return self.chosen >= self.most


def choice_of(attempt: Attempt, user: User | None, *, organiser: bool) -> AttemptChoice | None:
    """The choice that a user has now about an attempt; None if there is none to make."""
    if user is None or attempt.phase is None:
        return None
    try:
        now = received_now()
        _check(attempt, attempt.phase, attempt.challenge, user, now, organiser=organiser)
    except ServiceError:
        return None
    return AttemptChoice(
        attempt.chosen_at is not None, _chosen(attempt), attempt.phase.number_counted
    )


def choose(
    attempt: Attempt,
    *,
    user: User | None,
    organiser: bool,
    received_at: datetime | None = None,
) -> None:
    """Let an attempt count for its participant; nothing changes if it is chosen already.

    received_at: when the request was received (`competition.clock`); None: now.

    Raises ServiceError: `permission_denied`, `conflict` if nothing is chosen in this phase, if it
    is too late, if the attempt has failed, or if the participant has chosen as many as it may.
    """
    retried(partial(_set, attempt, True, user, organiser, received_at or received_now()))
    attempt.refresh_from_db()


def unchoose(
    attempt: Attempt,
    *,
    user: User | None,
    organiser: bool,
    received_at: datetime | None = None,
) -> None:
    """Take the choice of an attempt back. Raises ServiceError as `choose` does."""
    retried(partial(_set, attempt, False, user, organiser, received_at or received_now()))
    attempt.refresh_from_db()


def stays_chosen(attempt: Attempt) -> bool:
    """Whether an attempt remains chosen when it is put back after a withdrawal.

    It does not if the participant has chosen as many others in the meantime. Call this while the
    challenge is locked.
    """
    stored = Attempt.objects.select_related("phase").get(pk=attempt.pk)
    if stored.chosen_at is None or stored.phase is None:
        return False
    return stored.withdrawn_at is None or _chosen(stored) < stored.phase.number_counted


def _set(
    attempt: Attempt, wanted: bool, user: User | None, organiser: bool, received_at: datetime
) -> None:
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    locked = Attempt.objects.select_related("phase", "participant").get(pk=attempt.pk)
    locked.challenge = challenge
    phase = _check(locked, locked.phase, challenge, user, received_at, organiser=organiser)
    if (locked.chosen_at is not None) == wanted:
        return
    if wanted and _chosen(locked) >= phase.number_counted:
        raise _full(phase.number_counted)
    moment = received_at if wanted else None
    Attempt.objects.filter(pk=locked.pk).update(chosen_at=moment)
    if user is None or not is_own(locked, user):
        record_attempt(locked, {"chosen": not wanted}, {"chosen": wanted}, by=user)
    chosen_at = moment or locked.chosen_at or locked.submitted_at
    only = CountsIn(phase.pk, max(chosen_at, locked.submitted_at))
    recount_participants(challenge, [locked.participant_id], only)
    record_event(
        challenge.pk,
        EventKind.CHOSEN if wanted else EventKind.UNCHOSEN,
        {"phase": phase.pk},
        attempt=locked.pk,
        participant=locked.participant_id,
    )


def _check(
    attempt: Attempt,
    phase: Phase | None,
    challenge: Challenge,
    user: User | None,
    received_at: datetime,
    *,
    organiser: bool,
) -> Phase:
    """The phase of an attempt that the user may choose. Raises ServiceError."""
    if user is None or not (organiser or is_own(attempt, user)):
        text = _("Only its participant and organisers may choose an attempt.")
        raise ServiceError("permission_denied", text)
    if phase is None or counting_of(phase.counting, challenge.shown.counting) != "chosen":
        raise _conflict(_("In this phase, participants do not choose the attempts that count."))
    if not organiser and not _may_choose(attempt, phase, received_at):
        end = phase.choose_until or phase.closes_at
        text = _("Attempts of this phase could be chosen until {moment}.")
        raise _conflict(text.format(moment=iso(end) if end else ""))
    if attempt.withdrawn_at is not None:
        raise _conflict(_("The attempt is withdrawn."))
    if attempt.status == Attempt.Status.FAILED:
        raise _conflict(_("The attempt has failed, so it cannot count."))
    return phase


def _may_choose(attempt: Attempt, phase: Phase, received_at: datetime) -> bool:
    """Whether the participant may still choose, also by an agreed deadline.

    Nobody chooses once the scores on private tasks are known.
    """
    if phase.may_choose(received_at):
        return True
    return phase.final_at is None and has_agreement(phase, attempt.participant_id, received_at)


def _chosen(attempt: Attempt) -> int:
    """How many attempts the participant has chosen in the phase of an attempt."""
    chosen = Attempt.objects.filter(phase=attempt.phase_id, participant=attempt.participant_id)
    return chosen.filter(chosen_at__isnull=False, withdrawn_at=None).count()


def _full(most: int) -> ServiceError:
    text = ngettext(
        "{count} attempt is chosen already, and no more may be: take its choice back first.",
        "{count} attempts are chosen already, and no more may be: take one choice back first.",
        most,
    )
    return _conflict(text.format(count=most))


def _conflict(text: str) -> ServiceError:
    return ServiceError("conflict", text)
