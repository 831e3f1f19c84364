"""Registering people from a table, for organisers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.db.models.functions import Lower
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Challenge, Entry, Participant, Registration, User
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.competition.audit import AuditKind, record_new
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.participants.participant_batch import participant_to_register
from leaderboard.services.competition.participants.people_columns import (
    SHOWN,
    PeopleRow,
    csv_text,
    full_name,
    of_line,
    people_table,
    wrong_table,
)
from leaderboard.services.competition.participants.registration_answers import check_bracket
from leaderboard.services.competition.participants.taking_part import (
    only_captain,
    registered_event,
    rules_of,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.events.record import record_events

MOST_ROWS: Final = 2_000
COLUMNS: Final = (
    *("participant", "members", "username", "email", "name", "first", "last"),
    *("kind", "bracket", "status"),
)
_BETWEEN: Final = re.compile(r"[\s,;|]+")


class PreviewedRow(NamedTuple):
    """What was made of a line."""

    line: int
    participant: str
    kind: str
    members: Sequence[User]
    bracket: str
    status: str
    name: str

    @property
    def cells(self) -> Sequence[str]:
        members = " ".join(user.username for user in self.members)
        return self.participant, members, self.kind, self.bracket, self.status, self.name


class Roster(NamedTuple):
    """What a table has registered. left_out: declined people. unused: headings without effect."""

    rows: Sequence[PreviewedRow]
    left_out: int
    unused: Sequence[str]

    @property
    def table(self) -> str:
        """The same people as a table, to be sent once more."""
        headings = ("participant", "members", "kind", "bracket", "status", "name")
        return csv_text(headings, (row.cells for row in self.rows))


class PersonRow(NamedTuple):
    """A line of the table with its users, the captain first."""

    row: PeopleRow
    members: Sequence[User]

    @property
    def participant(self) -> str:
        """The name to take part under: the person's, if the table names no participants."""
        row = self.row
        name = row.cells.get("participant")
        return name if name is not None else full_name(row) or self.members[0].username

    @property
    def shown_name(self) -> str:
        """What is shown instead of the name, "" for nothing."""
        full = full_name(self.row) if "participant" in self.row.cells else ""
        return full if full != self.participant else ""

    @property
    def kind(self) -> str:
        alone = Participant.Kind.PERSON if len(self.members) == 1 else Participant.Kind.TEAM
        return self.row.get("kind") or alone.value

    @property
    def status(self) -> str:
        return self.row.get("status").lower() or RegistrationStatus.ACCEPTED.value


def register_from_table(challenge: Challenge, data: bytes | str, *, by: User) -> Roster:
    """Register the participants of a table.

    data: the table of registrations of any challenge, or one with the columns `participant` and
    `members` (usernames or addresses, the captain first) and, if wanted, `kind`, `bracket` and
    `status`; or a person a line, by `username` or `email`. Declined people are left out. All other
    rows are registered, or none. The rules for people who register themselves are not checked.
    Raises ServiceError with the wrong lines.
    """
    with transaction.atomic():
        return _registered(challenge, data, by)


def previewed_roster(challenge: Challenge, data: bytes | str, *, by: User) -> Roster:
    """What `register_from_table` would register. Raises ServiceError as it does."""
    with transaction.atomic():
        roster = _registered(challenge, data, by)
        transaction.set_rollback(True)
    return roster


def _registered(challenge: Challenge, data: bytes | str, by: User) -> Roster:
    Challenge.objects.lock_challenge(challenge.pk)
    stored = Challenge.objects.select_related("registration_rules", "tenant").get(pk=challenge.pk)
    table = people_table(data, columns=_columns(stored), most=MOST_ROWS)
    rows = [row for row in table.rows if row.get("status").lower() != RegistrationStatus.DECLINED]
    wrong: list[str] = []
    made: list[PreviewedRow] = []
    logged: list[tuple[int, dict[str, str]]] = []
    users = _Users(stored, rows)
    for row in rows:
        try:
            person = PersonRow(row, users.of(row))
            with transaction.atomic():
                logged.append(_register(stored, person, by))
        except ServiceError as refused:
            wrong.append(of_line(row.line, refused.message))
        except IntegrityError:
            wrong.append(of_line(row.line, _("one of the members takes part already")))
        else:
            made.append(_made(person))
    if wrong:
        raise wrong_table(wrong)
    record_new(stored.pk, AuditKind.REGISTRATION, logged, by=by)
    record_events(stored.pk, [registered_event(pk, fields["status"]) for pk, fields in logged])
    return Roster(made, len(table.rows) - len(rows), table.unused)


def _columns(challenge: Challenge) -> list[str]:
    """The columns that mean something; not the bracket where the challenge has none."""
    rules = rules_of(challenge)
    has_brackets = rules is not None and bool(rules.brackets)
    return [column for column in COLUMNS if has_brackets or column != "bracket"]


def _made(person: PersonRow) -> PreviewedRow:
    return PreviewedRow(
        person.row.line,
        person.participant,
        person.kind,
        person.members,
        person.row.get("bracket"),
        person.status,
        person.shown_name,
    )


class _Users:
    """The users whom the cells of a table name, read at once.

    An address names the user who has confirmed it, or else the account to which organisers of the
    tenant gave it.
    """

    def __init__(self, challenge: Challenge, rows: Iterable[PeopleRow]) -> None:
        wanted = {text for row in rows for cell in _cells(row) for text in _texts(cell)}
        by_name = User.objects.filter(username__in=[text for text in wanted if "\0" not in text])
        self._by_name = {user.username: user for user in by_name}
        addresses = {text.lower() for text in wanted if "@" in text}
        given = User.objects.annotate(address=Lower("email")).filter(
            managed_by=challenge.tenant_id, address__in=addresses
        )
        self._by_address = {user.email.lower(): user for user in given}
        confirmed = EmailAddress.objects.annotate(address=Lower("email")).filter(
            address__in=addresses, verified=True
        )
        for address in confirmed.select_related("user"):
            self._by_address[address.email.lower()] = address.user

    def of(self, row: PeopleRow) -> list[User]:
        """The users of a row: of the first cell that names anybody. Raises ServiceError."""
        unknown: list[str] = []
        for cell in _cells(row):
            texts = _texts(cell)
            user_by_text = {text: self._called(text) for text in texts}
            users = [user for user in user_by_text.values() if user is not None]
            if texts and len(users) == len(user_by_text):
                return list(dict.fromkeys(users))
            unknown = unknown or [text for text, user in user_by_text.items() if user is None]
        message = _(
            "members: must be usernames, or confirmed e-mail addresses, of this server; got {got}"
        )
        got = ", ".join(unknown[:SHOWN]) or "–"
        raise ServiceError("invalid", message.format(got=got))

    def _called(self, text: str) -> User | None:
        return self._by_address.get(text.lower()) if "@" in text else self._by_name.get(text)


def _cells(row: PeopleRow) -> list[str]:
    """The cells that may name users, the best one first."""
    return [row.get(column) for column in ("members", "username", "email")]


def _texts(cell: str) -> list[str]:
    return [text for text in _BETWEEN.split(cell) if text]


def _register(challenge: Challenge, row: PersonRow, by: User) -> tuple[int, dict[str, str]]:
    """Register the participant of a row; returns its id and the fields for the audit log."""
    rules = rules_of(challenge)
    bracket, kind = row.row.get("bracket"), row.kind
    check_bracket(rules, bracket)
    _check_status(row.status)
    if kind not in Participant.Kind.values:
        text = _("kind: must be one of {kinds}; got {got}")
        kinds = ", ".join(Participant.Kind.values)
        raise ServiceError("invalid", text.format(kinds=kinds, got=sent(kind)))
    most = rules.largest_team if rules else 1
    if len(row.members) > most:
        text = ngettext(
            "members: must be at most {most} username; got {got}",
            "members: must be at most {most} usernames; got {got}",
            most,
        )
        raise ServiceError("invalid", text.format(most=most, got=len(row.members)))
    captain = row.members[0]
    participant = participant_to_register(
        challenge, captain, row.participant, name=row.shown_name, kind=kind
    )
    if participant.owner_id != captain.pk:
        raise ServiceError("permission_denied", only_captain())
    _add(challenge, participant, row, by, is_sole=rules is not None)
    return participant.pk, {"status": row.status, "bracket": bracket}


def _check_status(status: str) -> None:
    accepted = (
        RegistrationStatus.ACCEPTED,
        RegistrationStatus.PENDING,
        RegistrationStatus.DECLINED,
    )
    if status not in accepted:
        text = _("status: must be one of {known}; got {got}")
        raise ServiceError("invalid", text.format(known=", ".join(accepted), got=sent(status)))


def _add(
    challenge: Challenge, participant: Participant, row: PersonRow, by: User, *, is_sole: bool
) -> None:
    """Save the registration with its entries; refuse users who take part already."""
    if Entry.objects.current().filter(challenge=challenge, user__in=row.members).exists():
        raise ServiceError("conflict", _("one of the members takes part already"))
    accepted = {
        "status": row.status,
        "bracket": row.row.get("bracket"),
        "decided_by": by,
        "decided_at": received_now(),
        "reason": "",
    }
    Challenge.objects.bump(challenge.pk)
    Registration.objects.update_or_create(
        challenge=challenge, participant=participant, defaults=accepted
    )
    captain, *members = row.members
    roles = [(captain, Entry.Role.CAPTAIN), *((user, Entry.Role.MEMBER) for user in members)]
    for user, role in roles:
        Entry.objects.create(
            challenge=challenge, participant=participant, user=user, role=role, is_sole=is_sole
        )
