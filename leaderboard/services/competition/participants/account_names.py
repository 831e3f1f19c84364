"""Names of the same accounts in a challenge: they are disqualified and reinstated together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Set
from typing import Final

from django.db.models import Q, QuerySet

from leaderboard.models import Challenge, Entry, Registration, User
from leaderboard.services.competition.mail.decisions import organisers_of

NOBODY: Final[frozenset[int]] = frozenset()


class AccountNames:
    """The registrations in a challenge that belong to the accounts of some participants.

    The accounts of a participant are its members in the challenge, or its owner if it has none.
    Organisers are no accounts: they own the names under which they have submitted for others.
    """

    def __init__(self, challenge: Challenge, participants: Collection[int]) -> None:
        self._challenge = challenge
        here = Registration.objects.filter(challenge=challenge)
        first = here.filter(participant__in=participants)
        people = {user for users in self._accounts_of(first).values() for user in users}
        entered = Entry.objects.admitted().filter(challenge=challenge, user__in=people)
        names = here.filter(
            Q(participant__in=participants)
            | Q(participant__in=entered.values("participant"))
            | Q(participant__owner__in=people)
        )
        self._accounts = self._accounts_of(names)
        self._registrations = list(names.select_related("participant").order_by("pk"))

    def only_of(self, participant: int) -> list[Registration]:
        """The other names whose accounts are all accounts of a participant."""
        own = self._accounts.get(participant, NOBODY)
        return [
            registration
            for registration in self._registrations
            if registration.participant_id != participant
            and NOBODY < self._accounts[registration.participant_id] <= own
        ]

    def _accounts_of(self, names: QuerySet[Registration]) -> dict[int, frozenset[int]]:
        entries = Entry.objects.current().filter(
            challenge=self._challenge, participant__in=names.values("participant")
        )
        accounts: dict[int, set[int]] = defaultdict(set)
        for participant, user, waits in entries.values_list("participant", "user", "is_waiting"):
            accounts[participant] |= set() if waits else {user}
        for participant, owner in names.values_list("participant", "participant__owner"):
            if participant not in accounts:
                accounts[participant] = {owner} if owner else set()
        organisers = self._organisers_among({user for users in accounts.values() for user in users})
        return {pk: frozenset(users - organisers) for pk, users in accounts.items()}

    def _organisers_among(self, users: Set[int]) -> set[int]:
        operators = User.objects.filter(is_superuser=True)
        organisers = (operators | organisers_of(self._challenge)).filter(pk__in=users)
        return set(organisers.values_list("pk", flat=True))
