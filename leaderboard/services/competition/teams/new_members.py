"""People who have joined a team after organisers had accepted it: organisers decide about them."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Entry, User
from leaderboard.schemas.registration import MEMBER_DECISION
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import tell_of_member
from leaderboard.services.errors import ServiceError, validated


def waiting_members(challenge: Challenge) -> QuerySet[Entry]:
    """The members about whom organisers have not decided yet, in the order in which they joined."""
    waiting = Entry.objects.current().filter(challenge=challenge, is_waiting=True)
    return waiting.select_related("user", "participant").order_by("joined_at", "pk")


def decide_member(challenge: Challenge, username: str, *, by: User | None, fields: object) -> None:
    """Accept or decline a new member of a team; who is declined leaves it.

    fields: as in `MemberDecision`. Raises ServiceError: `invalid`, `not_found` if nobody of this
    name waits.
    """
    decision = validated(MEMBER_DECISION, fields)
    with transaction.atomic():
        Challenge.objects.lock_challenge(challenge.pk)
        entry = waiting_members(challenge).filter(user__username=username).first()
        if entry is None:
            raise ServiceError("not_found", _("No new member of this name waits for a decision."))
        entry.is_waiting = False
        if decision.status == "declined":
            entry.left_at = received_now()
        entry.save(update_fields=["is_waiting", "left_at"])
        record(
            challenge.pk,
            AuditKind.REGISTRATION,
            by=by,
            before={"status": "pending", "reason": ""},
            after={"status": decision.status, "reason": decision.reason},
            named=username,
            participant=entry.participant,
        )
        tell_of_member(entry, is_accepted=decision.status == "accepted", reason=decision.reason)
