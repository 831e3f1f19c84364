"""Whom something in a challenge concerns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Final
from uuid import UUID

from leaderboard.models import Entry, Participant, Registration
from leaderboard.schemas.choices import RegistrationStatus

MOST_OWN: Final = 5
"""A user with more participants than this submits for others, and is not told of their results."""


def members_of(challenge: UUID, participants: Iterable[int]) -> dict[int, set[int]]:
    """The users of some participants: their members there, or their owner if there are none."""
    wanted = set(participants)
    entries = Entry.objects.current().filter(challenge=challenge, participant__in=wanted)
    rows = list(entries.values_list("participant", "user", "is_waiting"))
    users: dict[int, set[int]] = {participant: set() for participant in wanted}
    for participant, user, is_waiting in rows:
        if not is_waiting:
            users[participant].add(user)
    alone = wanted - {participant for participant, _, _ in rows}
    owned = Participant.objects.filter(pk__in=alone, owner__isnull=False)
    for participant, owner in owned.values_list("pk", "owner"):
        users[participant].add(owner)
    return users


def without_senders(challenge: UUID, users: dict[int, set[int]]) -> dict[int, set[int]]:
    """`members_of` some participants without users who have too many for all to be their own."""
    here = Counter(chain.from_iterable(users.values()))
    few = {user for user, number in here.items() if number <= MOST_OWN}
    registered = Registration.objects.filter(challenge=challenge).order_by()
    own = {
        # The limit lets the database stop early: an organiser may own a hundred thousand.
        user: registered.filter(participant__owner=user)[: MOST_OWN + 1].count()
        for user in few
    }
    few = {user for user, number in own.items() if number <= MOST_OWN}
    return {participant: some & few for participant, some in users.items()}


def takers_of(challenge: UUID) -> set[int]:
    """The users who take part: accepted, and not disqualified."""
    registered = Registration.objects.filter(
        challenge=challenge, status=RegistrationStatus.ACCEPTED, disqualified_at=None
    )
    members = Entry.objects.admitted().filter(
        challenge=challenge, participant__in=registered.values("participant")
    )
    return set(members.values_list("user", flat=True))
