"""Reviews of attempts: who decides, what follows, and who is told."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, AttemptVerdict, Challenge, Decision, User
from leaderboard.rules.admission.standing import AttemptStanding
from leaderboard.schemas.decisions import DecisionBody
from leaderboard.services.competition.decisions import DecisionKind, decide, decisions_about
from leaderboard.services.competition.mail.decisions import tell_of_attempt
from leaderboard.services.competition.participants.ownership import involved_in, is_own
from leaderboard.services.competition.roles import UserRole, role_of
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.standing.rejudging import derive_standings
from leaderboard.services.transactions import retried

MOST_AT_ONCE: Final = 200
"""Attempts that are accepted together."""
APPEALABLE: Final = frozenset(
    (
        DecisionKind.RETURNED,
        DecisionKind.JUDGED,
        DecisionKind.COUNTS_ZERO,
        DecisionKind.LEFT_OUT,
        DecisionKind.INFRASTRUCTURE,
    )
)


def may_decide(user: User | None, challenge: Challenge) -> bool:
    """Whether the user decides about attempts: organisers, and reviewers if they may."""
    needed = UserRole.REVIEWER if challenge.reviewers_decide else UserRole.ORGANISER
    return role_of(user, challenge) >= needed


def check_decides(user: User, attempt: Attempt) -> None:
    """Raise ServiceError (`permission_denied`) if the user may not decide about the attempt."""
    if not may_decide(user, attempt.challenge):
        raise only_for_reviewers()
    if involved_in(attempt.challenge, [attempt], user):
        text = _("Nobody decides about an attempt of their own.")
        raise ServiceError("permission_denied", text)


def only_for_reviewers() -> ServiceError:
    text = _("Only organisers decide about attempts, and reviewers if the challenge lets them.")
    return ServiceError("permission_denied", text)


def waiting_for_review(challenge: Challenge) -> QuerySet[Attempt]:
    """The attempts that wait for a review, the oldest first."""
    waiting = Attempt.objects.filter(challenge=challenge, standing=AttemptStanding.IN_REVIEW)
    related = waiting.filter(withdrawn_at=None).select_related("participant", "verdict")
    return related.order_by("submitted_at", "pk")


def open_appeals(challenge: Challenge) -> list[Decision]:
    """The appeals about attempts that nobody has answered, the oldest first."""
    appeals = Decision.objects.filter(
        challenge=challenge, kind=DecisionKind.APPEALED, attempt__isnull=False
    ).select_related("attempt__participant")
    answers = Decision.objects.filter(challenge=challenge, kind=DecisionKind.ANSWERED)
    answered = {(after or {}).get("decision") for after in answers.values_list("after", flat=True)}
    return [appeal for appeal in appeals.order_by("at", "pk") if appeal.pk not in answered]


def review(attempt: Attempt, body: DecisionBody, *, by: User) -> Decision:
    """Accept or return an attempt. Raises ServiceError: `permission_denied`, `conflict`."""
    check_decides(by, attempt)
    return retried(partial(_review, attempt, body, by))


def receive_again(attempt: Attempt, body: DecisionBody, *, by: User) -> Decision:
    """What the participant of a returned or refused attempt answers: it waits for a review.

    Raises ServiceError: `permission_denied`, `conflict`.
    """
    _check_own(by, attempt)
    return retried(partial(_receive_again, attempt, body, by))


def accept_each(challenge: Challenge, ids: Sequence[UUID], *, by: User) -> int:
    """Accept attempts that wait and meet all rules; returns how many. Others stay as they are.

    Raises ServiceError: `permission_denied`, `invalid` for too many.
    """
    if not may_decide(by, challenge):
        raise only_for_reviewers()
    if len(ids) > MOST_AT_ONCE:
        text = _("must be at most {most} attempts; got {count}")
        raise invalid("attempts", text.format(most=MOST_AT_ONCE, count=len(ids)))
    return retried(partial(_accept_each, challenge, ids, by))


def appeal(attempt: Attempt, body: DecisionBody, *, by: User) -> Decision:
    """Appeal against a decision about one's own attempt; at most one appeal is open for each.

    Raises ServiceError: `permission_denied`, `not_found`, `conflict`.
    """
    _check_own(by, attempt)
    return retried(partial(_appeal, attempt, body, by))


def answer(attempt: Attempt, body: DecisionBody, *, by: User) -> Decision:
    """Answer an appeal, which closes it. Raises ServiceError."""
    check_decides(by, attempt)
    return retried(partial(_answer, attempt, body, by))


def undo_review(attempt: Attempt, decision: Decision, reason: str, *, by: User) -> Decision:
    """Take back an acceptance or a return. Call it in a transaction."""
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    made = decide(DecisionKind.UNDONE, attempt=attempt, by=by, reason=reason, undoes=decision)
    derive_standings(challenge, [attempt.pk], by=None)
    return made


def decision_of(attempt: Attempt, pk: int | None) -> Decision:
    """A decision about the attempt that is not undone. Raises ServiceError (`not_found`)."""
    decision = decisions_about(attempt).filter(pk=pk or 0, undone_by=None).first()
    if decision is None:
        raise ServiceError("not_found", _("There is no such decision about the attempt."))
    return decision


def _review(attempt: Attempt, body: DecisionBody, by: User) -> Decision:
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    stored = Attempt.objects.select_for_update().get(pk=attempt.pk)
    kind = DecisionKind(body.kind)
    if kind == DecisionKind.ACCEPTED and stored.standing == AttemptStanding.COUNTS:
        raise ServiceError("conflict", _("The attempt counts already."))
    if kind == DecisionKind.RETURNED and stored.standing == AttemptStanding.RETURNED:
        raise ServiceError("conflict", _("The attempt is returned already."))
    made = decide(
        kind,
        attempt=stored,
        by=by,
        reason=body.reason,
        note=body.note,
        before={"standing": stored.standing},
    )
    derive_standings(challenge, [stored.pk], by=None)
    stored.refresh_from_db(fields=["standing"])
    if kind == DecisionKind.RETURNED or stored.standing == AttemptStanding.COUNTS:
        tell_of_attempt(stored, body.reason, is_returned=kind == DecisionKind.RETURNED)
    return made


def _receive_again(attempt: Attempt, body: DecisionBody, by: User) -> Decision:
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    stored = Attempt.objects.select_for_update().get(pk=attempt.pk)
    if stored.standing not in (AttemptStanding.RETURNED, AttemptStanding.NOT_ADMITTED):
        text = _("Only an attempt that is returned or not admitted can be sent for a review.")
        raise ServiceError("conflict", text)
    made = decide(DecisionKind.RECEIVED, attempt=stored, by=by, reason=body.reason)
    derive_standings(challenge, [stored.pk], by=None)
    return made


def _accept_each(challenge: Challenge, ids: Sequence[UUID], by: User) -> int:
    locked = Challenge.objects.lock_challenge(challenge.pk)
    waiting = list(waiting_for_review(locked).filter(pk__in=ids))
    ok = AttemptVerdict.objects.filter(attempt__in=ids, verdict="ok")
    clean = set(ok.values_list("attempt", flat=True))
    own = involved_in(locked, waiting, by)
    accepted = [
        attempt
        for attempt in waiting
        if attempt.pk not in own and (attempt.pk in clean or locked.condition_set_id is None)
    ]
    for attempt in accepted:
        decide(DecisionKind.ACCEPTED, attempt=attempt, by=by)
    derive_standings(locked, [attempt.pk for attempt in accepted], by=None)
    for attempt in accepted:
        tell_of_attempt(attempt, "", is_returned=False)
    return len(accepted)


def _appeal(attempt: Attempt, body: DecisionBody, by: User) -> Decision:
    Challenge.objects.lock_challenge(attempt.challenge_id)
    about = decision_of(attempt, body.decision)
    if about.kind not in APPEALABLE:
        raise ServiceError("conflict", _("This decision cannot be appealed."))
    earlier = Decision.objects.filter(attempt=attempt.pk, kind=DecisionKind.APPEALED)
    if any((appealed.after or {}).get("decision") == about.pk for appealed in earlier):
        raise ServiceError("conflict", _("There is an appeal against this decision already."))
    after = {"decision": about.pk}
    return decide(DecisionKind.APPEALED, attempt=attempt, by=by, reason=body.reason, after=after)


def _answer(attempt: Attempt, body: DecisionBody, by: User) -> Decision:
    Challenge.objects.lock_challenge(attempt.challenge_id)
    about = decision_of(attempt, body.decision)
    if about.kind != DecisionKind.APPEALED:
        raise ServiceError("conflict", _("Only an appeal can be answered."))
    answers = Decision.objects.filter(attempt=attempt.pk, kind=DecisionKind.ANSWERED)
    if any((answer.after or {}).get("decision") == about.pk for answer in answers):
        raise ServiceError("conflict", _("The appeal is answered already."))
    after = {"decision": about.pk}
    return decide(DecisionKind.ANSWERED, attempt=attempt, by=by, reason=body.reason, after=after)


def _check_own(user: User, attempt: Attempt) -> None:
    if not is_own(attempt, user):
        text = _("Only the participant of an attempt may do this.")
        raise ServiceError("permission_denied", text)
