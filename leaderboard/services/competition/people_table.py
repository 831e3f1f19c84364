"""Registering people from a table, for organisers."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Challenge, Entry, Participant, Registration, User
from leaderboard.rules.sent import sent
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.competition.audit import AuditKind, record_new
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.participant_rows import Entrants
from leaderboard.services.competition.registration import check_bracket
from leaderboard.services.competition.taking_part import only_captain, rules_of
from leaderboard.services.errors import ServiceError

MOST_ROWS: Final = 2_000
COLUMNS: Final = ("participant", "members", "kind", "bracket")
SHOWN: Final = 10
"""How many wrong lines an error names."""


class PersonRow(NamedTuple):
    """A line of the table: its number, its cells by column, and its users, the captain first."""

    line: int
    cells: Mapping[str, str]
    members: Sequence[User]


def register_from_csv(challenge: Challenge, text: str, *, by: User) -> int:
    """Register the participants of a table as accepted; returns their number.

    text: the columns `participant`, `members` (usernames with spaces between them, the captain
    first) and, if wanted, `kind` and `bracket`. All rows are registered, or none. The rules for
    people who register themselves are not checked. Raises ServiceError with the wrong lines.
    """
    stored = Challenge.objects.select_related("registration_rules", "tenant").get(pk=challenge.pk)
    wrong: list[str] = []
    registered: list[tuple[int, dict[str, str]]] = []
    with transaction.atomic():
        rows = _rows(text)
        for row in rows:
            try:
                with transaction.atomic():
                    registered.append(_register(stored, row, by))
            except ServiceError as refused:
                wrong.append(_line(row.line, refused.message))
            except IntegrityError:
                wrong.append(_line(row.line, _("one of the members takes part already")))
        if wrong:
            raise _refused(wrong)
        record_new(stored.pk, AuditKind.REGISTRATION, registered, by=by)
    return len(rows)


def _rows(text: str) -> list[PersonRow]:
    table = csv.DictReader(text.lstrip("\ufeff").splitlines())
    names = [name.strip().lower() for name in table.fieldnames or ()]
    unknown = [name for name in names if name not in COLUMNS]
    if unknown or not {"participant", "members"} <= set(names):
        listed = ", ".join(COLUMNS)
        said = _("The first line must name the columns: {columns}; got {got}.")
        raise _refused([said.format(columns=listed, got=", ".join(names) or "–")])
    table.fieldnames = names
    cells = [(table.line_num, {name: (row[name] or "").strip() for name in names}) for row in table]
    if not 1 <= len(cells) <= MOST_ROWS:
        said = _("The table must have 1 to {most} rows; got {got}.")
        raise _refused([said.format(most=MOST_ROWS, got=len(cells))])
    wanted = {name for _line_number, row in cells for name in row["members"].split()}
    users = {user.username: user for user in User.objects.filter(username__in=wanted)}
    return [PersonRow(line, row, _members(line, row, users)) for line, row in cells]


def _members(line: int, row: Mapping[str, str], users: Mapping[str, User]) -> list[User]:
    names = row["members"].split()
    unknown = [name for name in names if name not in users]
    if unknown or not names:
        said = _("members: must be usernames of this server; got {got}")
        got = ", ".join(unknown[:SHOWN]) or "–"
        raise _refused([_line(line, said.format(got=got))])
    return [users[name] for name in dict.fromkeys(names)]


def _register(challenge: Challenge, row: PersonRow, by: User) -> tuple[int, dict[str, str]]:
    """Register the participant of a row; returns its id and the fields for the audit log."""
    rules = rules_of(challenge)
    bracket, kind = row.cells.get("bracket", ""), row.cells.get("kind", "")
    check_bracket(rules, bracket)
    if kind and kind not in Participant.Kind.values:
        said = _("kind: must be one of {kinds}; got {got}")
        kinds = ", ".join(Participant.Kind.values)
        raise ServiceError("invalid", said.format(kinds=kinds, got=sent(kind)))
    most = rules.largest_team if rules else 1
    if len(row.members) > most:
        text = ngettext(
            "members: must be at most {most} username; got {got}",
            "members: must be at most {most} usernames; got {got}",
            most,
        )
        raise ServiceError("invalid", text.format(most=most, got=len(row.members)))
    participant = _participant(challenge, row.members[0], row.cells["participant"], kind)
    _add(challenge, participant, row, by, is_sole=rules is not None)
    return participant.pk, {"status": RegistrationStatus.ACCEPTED.value, "bracket": bracket}


def _participant(challenge: Challenge, captain: User, name: str, kind: str) -> Participant:
    entrants = Entrants(challenge, captain, organiser=False, registering=True)
    entrants.find([name])
    found = entrants.of(name, kind=kind)
    entrants.keep(found)
    entrants.make()
    entrants.check(found)
    if found.owner_id != captain.pk:
        raise ServiceError("permission_denied", only_captain())
    return found.participant()


def _add(
    challenge: Challenge, participant: Participant, row: PersonRow, by: User, *, is_sole: bool
) -> None:
    """Save the registration with its entries; refuse users who take part already."""
    if Entry.objects.current().filter(challenge=challenge, user__in=row.members).exists():
        raise ServiceError("conflict", _("one of the members takes part already"))
    accepted = {
        "status": RegistrationStatus.ACCEPTED.value,
        "bracket": row.cells.get("bracket", ""),
        "decided_by": by,
        "decided_at": received_now(),
        "reason": "",
    }
    Challenge.objects.bump(challenge.pk)
    Registration.objects.update_or_create(
        challenge=challenge, participant=participant, defaults=accepted
    )
    captain, *others = row.members
    roles = [(captain, Entry.Role.CAPTAIN), *((user, Entry.Role.MEMBER) for user in others)]
    for user, role in roles:
        Entry.objects.create(
            challenge=challenge, participant=participant, user=user, role=role, is_sole=is_sole
        )


def _line(number: int, problem: str) -> str:
    return _("Line {line}: {problem}").format(line=number, problem=problem)


def _refused(wrong: Sequence[str]) -> ServiceError:
    more = len(wrong) - SHOWN
    shown = list(wrong[:SHOWN])
    if more > 0:
        text = ngettext("There is {more} more.", "There are {more} more.", more)
        shown.append(text.format(more=more))
    return ServiceError("invalid", shown[0], {"file": shown})
