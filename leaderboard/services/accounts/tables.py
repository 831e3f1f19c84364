"""Accounts from a table of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from leaderboard.models import Membership, OneTimeLink, Tenant, User
from leaderboard.rules.texts.skeletons import skeleton
from leaderboard.services.accounts.one_time_links import make_link
from leaderboard.services.competition.participants.people_columns import (
    PeopleRow,
    csv_text,
    full_name,
    of_line,
    people_table,
    wrong_table,
)
from leaderboard.services.errors import ServiceError

MOST_ROWS: Final = 500
COLUMNS: Final = ("username", "name", "first", "last", "email")
LONGEST_NAME: Final = 150


@dataclass(frozen=True, slots=True)
class NewAccount:
    """A new account, and the code of the link with which its user chooses a password."""

    user: User
    code: str


@dataclass(frozen=True, slots=True)
class PlannedAccounts:
    """The accounts that a table would make, and the headings that nothing is made of."""

    users: Sequence[User]
    unused: Sequence[str]

    @property
    def table(self) -> str:
        """The same accounts as a table, to be sent once more."""
        rows = ((user.username, user.first_name, user.email) for user in self.users)
        return csv_text(("username", "name", "email"), rows)


def planned_accounts(data: bytes | str, *, tenant: Tenant, by: User) -> PlannedAccounts:
    """What `accounts_from_table` would make of a table. Raises ServiceError as it does."""
    if not by.organises(tenant.pk):
        raise ServiceError("permission_denied", _("You do not organise this tenant."))
    table = people_table(data, columns=COLUMNS, most=MOST_ROWS)
    return PlannedAccounts(_users(table.rows, tenant), table.unused)


def accounts_from_table(data: bytes | str, *, tenant: Tenant, by: User) -> list[NewAccount]:
    """Members of the tenant, one a row, each with a link to choose a password.

    data: a table with the columns `username`, `name` (or first and last name) and `email`, of which
    one is needed; or names, addresses or both, a line each. All rows are taken, or none. Raises
    ServiceError with the line of each row that is refused.
    """
    users = planned_accounts(data, tenant=tenant, by=by).users
    try:
        with transaction.atomic():
            return [_made(user, tenant, by) for user in users]
    except IntegrityError:
        raise ServiceError("conflict", _("One of the names was just taken. Try again.")) from None


def _made(user: User, tenant: Tenant, by: User) -> NewAccount:
    user.save()
    Membership.objects.create(tenant=tenant, user=user)
    _link, code = make_link(OneTimeLink.Purpose.PASSWORD, by=by, user=user, tenant=tenant)
    return NewAccount(user, code)


class _Taken:
    """The usernames of all users, how they are drawn, and the addresses of a tenant's accounts."""

    def __init__(self, tenant: Tenant) -> None:
        names = User.objects.values_list("username", "skeleton")
        self._taken = {key for name, drawn in names for key in (name.lower(), drawn)}
        mine = User.objects.filter(managed_by=tenant).exclude(email="")
        self._addresses = set(map(str.lower, mine.values_list("email", flat=True)))

    def take_address(self, email: str) -> None:
        """Note an address. Raises ValidationError if an account of the tenant has it."""
        if email and email in self._addresses:
            text = _("email: must not be the one of another account; got {email}")
            raise ValidationError(text.format(email=email))
        self._addresses.add(email)

    def take(self, username: str) -> None:
        """Note a new username. Raises ValidationError if people may take it for another one."""
        keys = {username.lower(), skeleton(username)}
        if keys & self._taken:
            text = _("username: must not be taken, nor look like one that is; got {name}")
            raise ValidationError(text.format(name=username))
        self._taken |= keys

    def free(self, name: str) -> str:
        """`ada-lovelace` for Ada Lovelace; `ada-lovelace-2` for the second one."""
        base = slugify(name, allow_unicode=True)[: LONGEST_NAME - 5] or "user"
        username, number = base, 1
        while {username, skeleton(username)} & self._taken:
            number += 1
            username = f"{base}-{number}"
        return username


def _users(rows: Sequence[PeopleRow], tenant: Tenant) -> list[User]:
    """The new users, not saved. Raises ServiceError with every row that is wrong."""
    wrong: list[str] = []
    users: list[User] = []
    taken = _Taken(tenant)
    for row in rows:
        try:
            users.append(_user(row, taken, tenant))
        except ValidationError as error:
            wrong.append(of_line(row.line, " ".join(error.messages)))
    if wrong:
        raise wrong_table(wrong)
    return users


def _user(row: PeopleRow, taken: _Taken, tenant: Tenant) -> User:
    """Raises ValidationError."""
    name, email = full_name(row), row.get("email").lower()
    if not (row.get("username") or name or email):
        raise ValidationError(_("must have a name, a username or an e-mail address; got none"))
    if "@" in row.get("username") + name:
        text = _("must not hold an @ in a username or name; got {got}")
        raise ValidationError(text.format(got=row.get("username") or name))
    username = row.get("username") or taken.free(name or email.partition("@")[0])
    user = User(
        username=User.normalize_username(username),
        first_name=name[:LONGEST_NAME],
        email=email,
        managed_by=tenant,
    )
    user.set_unusable_password()
    taken.take(user.username)
    taken.take_address(email)
    user.clean_fields(exclude=["password"])
    return user
