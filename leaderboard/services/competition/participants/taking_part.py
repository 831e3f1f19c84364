"""The participants for which a user may submit: those of which the user is a member.

A challenge without registration rules is open: the first attempt registers its participant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Challenge, Entry, Registration, RegistrationRules, User
from leaderboard.models.built_once import Values
from leaderboard.models.bulk import insert_missing
from leaderboard.rules.ids import uuid7
from leaderboard.schemas.choices import BracketChoice, RegistrationMode, RegistrationStatus
from leaderboard.services.competition.participants.barred import Barred, barred_names, is_barred_as
from leaderboard.services.errors import ServiceError
from leaderboard.services.events.record import EventKind, NewEvent

STATUS: Final = (
    "participant_id",
    "status",
    "terms_version",
    "disqualified_at",
    "disqualified_reason",
)
REGISTRATION: Final = (
    "id",
    "challenge",
    "participant",
    "status",
    "answers",
    "terms_version",
    "bracket",
    "reason",
    "created_at",
)
ENTRY: Final = ("challenge", "user", "participant", "role", "is_sole", "joined_at", "left_at")
_OF_ONE = Values(
    lambda challenge, participant: Registration.objects.filter(
        challenge=challenge, participant=participant
    ).values_list(*STATUS),
    challenge=UUID,
    participant=int,
)


class HasOwner(Protocol):
    """A participant, as an instance or as a row."""

    id: int
    handle_key: str
    owner_id: int | None


class Registered(NamedTuple):
    """The status of a registration, the version of the accepted terms, and a disqualification."""

    status: str
    terms_version: int
    disqualified_at: object = None
    disqualified_reason: str = ""


class OwnEntries(NamedTuple):
    """The participants of which a user is a member: anywhere in a tenant, and in one challenge.

    waiting: those in the challenge that organisers have not let the user join yet. A bulk asks for
    them once for each of its lines.
    """

    participants: frozenset[int]
    here: frozenset[int]
    waiting: frozenset[int] = frozenset()


def rules_of(challenge: Challenge) -> RegistrationRules | None:
    """The registration rules of a challenge; None if it declares none."""
    return getattr(challenge, "registration_rules", None)


def has_teams(challenge: Challenge) -> bool:
    """Whether several users may take part together, so that teams may merge."""
    rules = rules_of(challenge)
    return rules is not None and rules.largest_team > 1


def only_captain() -> str:
    """The error message for a user who registers a team whose name another user owns."""
    return _("Only the captain of this team may register it.")


def member_waits() -> str:
    """The error message for a member who has joined a team after it was accepted."""
    return _("An organiser has not accepted you as a member of the team yet.")


def registers_by_attempt(rules: RegistrationRules | None) -> bool:
    """Whether the first attempt registers its participant, because the rules require no input."""
    if rules is None:
        return True
    asks = rules.terms or any(question["required"] for question in rules.questions)
    chooses = rules.brackets and rules.bracket_choice == BracketChoice.CHOSEN
    return rules.mode == RegistrationMode.OPEN and not (asks or chooses)


def registered_event(participant: int, status: str = RegistrationStatus.ACCEPTED.value) -> NewEvent:
    """The event of a new registration."""
    return NewEvent(EventKind.REGISTERED, {"status": status}, participant=participant)


class RegistrationBatch:
    """The registrations of the participants that a user's attempts name, within one transaction.

    `find` reads them. `check` refuses a participant that the user may not submit as. `register`
    registers those whose first attempt this is. Organisers may submit as every participant.

    has_limits: whether the phase limits the attempts of an account. A user then takes part under
    one name, as with registration rules. Names from before the limits go on, and share them.
    """

    def __init__(
        self, challenge: Challenge, user: User, *, organiser: bool, has_limits: bool = False
    ) -> None:
        self._challenge = challenge
        self._user = user
        self._organiser = organiser
        self._rules = rules_of(challenge)
        self._is_sole = self._rules is not None or has_limits
        self._registered: dict[int, Registered] = {}
        self._entries: OwnEntries | None = None
        self._sizes: dict[int, int] = {}
        self._barred: list[Barred] | None = None
        self._first: str | None = None

    def find(self, participants: Collection[int]) -> None:
        """Read the registrations of some participants; one statement."""
        rows: list[tuple[Any, ...]] = []
        if len(participants) == 1:
            (participant,) = participants
            rows = _OF_ONE.all(challenge=self._challenge.pk, participant=participant)
        elif participants:
            mine = Registration.objects.filter(challenge=self._challenge)
            rows = list(mine.filter(participant__in=participants).values_list(*STATUS))
        self._registered |= {pk: Registered(*state) for pk, *state in rows}

    def is_member_of_others(self, participants: Collection[int]) -> bool:
        """Whether the user takes part here under one name only, which none of these has."""
        if self._organiser or not self._is_sole:
            return False
        return not self._mine().here <= set(participants)

    def is_member(self, participant: HasOwner) -> bool:
        """Whether the user owns the participant, or is one of its members at any challenge."""
        if participant.owner_id == self._user.pk:
            return True
        return participant.id in self._mine().participants

    def check(self, participant: HasOwner) -> None:
        """Refuse (`not_registered`, `disqualified`) a participant that may not submit.

        A participant without an id is new.
        """
        if self._organiser:
            return
        registered = self._registered.get(participant.id)
        if registered is None:
            self._check_first(participant)
        elif registered.disqualified_at is not None:
            raise self._disqualified(registered.disqualified_reason)
        elif registered.status == RegistrationStatus.PENDING:
            raise self._refused(_("An organiser has not accepted your registration yet."))
        elif registered.status == RegistrationStatus.DECLINED:
            raise self._refused(_("Your registration was declined."))
        elif participant.owner_id != self._user.pk and participant.id in self._mine().waiting:
            raise self._refused(member_waits())
        elif self._rules is not None:
            self._check_registered(participant, registered, self._rules)
        self._check_account(participant)

    def keep(self, participant: HasOwner) -> None:
        """Note that an attempt of a participant is accepted.

        If this registers the participant, `check` refuses the first attempts of all others.
        """
        if participant.id not in self._registered:
            self._first = participant.handle_key

    def register(self, participants: Iterable[HasOwner]) -> set[int]:
        """Register the participants without a registration, and the user as their captain.

        Returns the ids of the new ones. Raises ServiceError (`not_registered`) if the user takes
        part under another name by now.
        """
        new = {
            participant.id: participant
            for participant in participants
            if participant.id not in self._registered
        }
        if not new:
            return set()
        accepted, now = RegistrationStatus.ACCEPTED.value, timezone.now()
        shared: tuple[Any, ...] = (accepted, {}, 0, "", "", now)
        rows = [(uuid7(), self._challenge.pk, pk, *shared) for pk in sorted(new)]
        insert_missing(Registration, REGISTRATION, rows)
        # Organisers submit attempts of others and do not take part themselves.
        mine = [pk for pk in sorted(new) if new[pk].owner_id == self._user.pk]
        if mine and not self._organiser:
            self._enter(mine, now)
        self._registered |= dict.fromkeys(new, Registered(accepted, 0))
        return set(new)

    def _enter(self, participants: Sequence[int], now: datetime) -> None:
        """Make the user the captain of their participants. Raises ServiceError."""
        is_sole, captain = self._is_sole, Entry.Role.CAPTAIN.value
        rows = [
            (self._challenge.pk, self._user.pk, pk, captain, is_sole, now, None)
            for pk in participants
        ]
        insert_missing(Entry, ENTRY, rows)
        if is_sole:  # another request of this user may have been faster
            self._entries = None
            if not self._mine().here.issuperset(participants):
                raise self._refused(self._under_another_name())

    def _check_first(self, participant: HasOwner) -> None:
        """Whether the participant may register by this attempt."""
        if not registers_by_attempt(self._rules):
            raise self._refused(_("You are not registered for this challenge."))
        if not self._is_sole:
            return
        here = self._mine().here
        another = self._first not in (None, participant.handle_key)
        if len(here) > (participant.id in here) or another:
            raise self._refused(self._under_another_name())
        if participant.owner_id != self._user.pk:
            raise self._refused(only_captain())
        if self._rules is not None and self._rules.smallest_team > 1:
            raise self._refused(self._too_small(self._rules.smallest_team))

    def _check_registered(
        self, participant: HasOwner, registered: Registered, rules: RegistrationRules
    ) -> None:
        if why := self._why_not(participant, registered, rules):
            raise self._refused(why)

    def why_not(self, participant: HasOwner) -> str:
        """Why an accepted participant may not submit; "" if it may. Call `find` before."""
        registered = self._registered.get(participant.id)
        if registered is None or self._rules is None:
            return ""
        return self._why_not(participant, registered, self._rules)

    def _why_not(
        self, participant: HasOwner, registered: Registered, rules: RegistrationRules
    ) -> str:
        if participant.id not in self._mine().here:
            return _("You are not a member of this participant in this challenge.")
        if participant.id in self._mine().waiting:
            return member_waits()
        if rules.terms and registered.terms_version < rules.terms_version:
            return _("The terms have changed: accept the new ones first.")
        if rules.smallest_team > 1 and self._size_of(participant.id) < rules.smallest_team:
            return self._too_small(rules.smallest_team)
        return ""

    def _check_account(self, participant: HasOwner) -> None:
        """Refuse a user whom an organiser has disqualified or declined under another name."""
        if self._barred is None:
            self._barred = barred_names(self._challenge, self._user)
        for name in self._barred:
            if name.participant != participant.id:
                raise is_barred_as(self._challenge, name)

    def _size_of(self, participant: int) -> int:
        if participant not in self._sizes:
            members = Entry.objects.admitted().filter(
                challenge=self._challenge, participant=participant
            )
            self._sizes[participant] = members.count()
        return self._sizes[participant]

    def _mine(self) -> OwnEntries:
        if self._entries is None:
            mine = Entry.objects.current().filter(
                user=self._user, challenge__tenant=self._challenge.tenant_id
            )
            every = list(mine.values_list("challenge_id", "participant_id", "is_waiting"))
            here = {pk: waits for challenge, pk, waits in every if challenge == self._challenge.pk}
            self._entries = OwnEntries(
                frozenset(pk for _, pk, waits in every if not waits) | here.keys(),
                frozenset(here),
                frozenset(pk for pk, waits in here.items() if waits),
            )
        return self._entries

    def _under_another_name(self) -> str:
        return _("You take part in this challenge under another name.")

    def _too_small(self, least: int) -> str:
        return ngettext(
            "A team needs at least {least} member before it may submit.",
            "A team needs at least {least} members before it may submit.",
            least,
        ).format(least=least)

    def _disqualified(self, reason: str) -> ServiceError:
        text = _("The participant is disqualified in this challenge: {reason}")
        page = reverse("register", args=[self._challenge.slug])
        return ServiceError(
            "disqualified", text.format(reason=reason), facts={"reason": reason, "appeal_at": page}
        )

    def _refused(self, why: str) -> ServiceError:
        """Why the user may not submit, and where they register."""
        page = reverse("register", args=[self._challenge.slug])
        text = _("{why} See {page}.").format(why=why, page=page)
        return ServiceError("not_registered", text, facts={"register_at": page})
