"""Whose a participant is in a challenge: its members', or its owner's if it has no members there.

The owner of a name may have passed a team on to others in one challenge and not in another
(docs/decisions/0208). So the owner has no rights over a team that has members without them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.models import Attempt, Challenge, Entry, Participant, Registration, User


def own_among(challenge: Challenge, participants: Iterable[Participant], user: User) -> set[int]:
    """The ids of those of some participants that are the user's own in the challenge."""
    owners = {participant.pk: participant.owner_id for participant in participants}
    entries = Entry.objects.current().filter(challenge=challenge, participant__in=owners)
    members = set(entries.filter(is_waiting=False).values_list("participant", "user"))
    led_by_others = set(entries.values_list("participant", flat=True))
    return {
        participant
        for participant, owner in owners.items()
        if (participant, user.pk) in members
        or (owner == user.pk and participant not in led_by_others)
    }


def is_own(attempt: Attempt, user: User) -> bool:
    """Whether the participant of an attempt is the user's own in its challenge."""
    return bool(own_among(attempt.challenge, [attempt.participant], user))


def involved_in(challenge: Challenge, attempts: Collection[Attempt], user: User) -> set[UUID]:
    """The attempts that are the user's own, were so when they arrived, or will be: of a team that
    the user has left since, or waits to join. Nobody decides about these."""
    own = own_among(challenge, (attempt.participant for attempt in attempts), user)
    teams = {attempt.participant_id for attempt in attempts}
    entries = Entry.objects.filter(challenge=challenge, user=user, participant__in=teams)
    until = dict(entries.order_by("pk").values_list("participant", "left_at"))
    return {
        attempt.pk
        for attempt in attempts
        if attempt.participant_id in own
        or (
            attempt.participant_id in until
            and (until[attempt.participant_id] or attempt.submitted_at) >= attempt.submitted_at
        )
    }


def registrations_as(user: User) -> QuerySet[Registration]:
    """The registrations of the user's own participants, in all challenges."""
    entries = Entry.objects.current()
    here = entries.filter(challenge=OuterRef("challenge"), participant=OuterRef("participant"))
    joined, owned = (
        Exists(here.filter(user=user, is_waiting=False)),
        Q(Q(participant__owner=user), ~Exists(here)),
    )
    # Without this condition, the database would read all registrations.
    mine = Participant.objects.of(user).values("pk")
    return Registration.objects.filter(joined | owned, participant__in=mine)


def owns_name(participant: Participant, captain: User) -> bool:
    """Whether a captain of the team may rename it. False if another user owns its name."""
    return participant.owner_id in (captain.pk, None)
