"""Accounts from a table of names."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from leaderboard.models import Membership, OneTimeLink, Tenant, User
from leaderboard.services.accounts.one_time_links import make_link
from leaderboard.services.errors import ServiceError

MOST_ROWS: Final = 500
COLUMNS: Final = ("username", "name", "email")
LONGEST_NAME: Final = 150
SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class NewAccount:
    """A new account, and the code of the link with which its user chooses a password."""

    user: User
    code: str


def accounts_from_csv(text: str, *, tenant: Tenant, by: User) -> list[NewAccount]:
    """Members of the tenant, one a row, each with a link to choose a password.

    text: a table with the columns `username`, `name` and `email`, of which one of the first two
    is needed, or names alone, one a line. All rows are taken, or none. Raises ServiceError with
    the line of each row that is refused.
    """
    if not by.organises(tenant.pk):
        raise ServiceError("permission_denied", _("You do not organise this tenant."))
    users = _users(_rows(text), tenant)
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


def _rows(text: str) -> list[tuple[int, dict[str, str]]]:
    """The rows with their line numbers."""
    lines = list(enumerate(csv.reader(text.lstrip("\ufeff").splitlines()), start=1))
    lines = [(at, [cell.strip() for cell in row]) for at, row in lines if any(map(str.strip, row))]
    if not lines:
        raise _refused([_rows_wanted(0)])
    head = [cell.lower() for cell in lines[0][1]]
    if {"username", "name"} & set(head):
        unknown = [cell for cell in head if cell not in COLUMNS]
        if unknown:
            raise _refused([_columns(unknown[0])])
        rows = [(at, dict(zip(head, row, strict=False))) for at, row in lines[1:]]
    elif any(len(row) > 1 for _at, row in lines):
        raise _refused([_columns(lines[0][1][0])])
    else:
        rows = [(at, {"name": row[0]}) for at, row in lines]
    if not 1 <= len(rows) <= MOST_ROWS:
        raise _refused([_rows_wanted(len(rows))])
    return rows


def _rows_wanted(got: int) -> str:
    text = _("The table must have 1 to {most} rows; got {got}.")
    return text.format(most=MOST_ROWS, got=got)


def _columns(got: str) -> str:
    text = _("The first line must name the columns: username, name, email; got {got}.")
    return text.format(got=got)


def _users(rows: list[tuple[int, dict[str, str]]], tenant: Tenant) -> list[User]:
    """The new users, not saved. Raises ServiceError with every row that is wrong."""
    wrong: list[str] = []
    found: list[User] = []
    taken = set(map(str.lower, User.objects.values_list("username", flat=True)))
    for at, row in rows:
        user = _user(row, taken, tenant)
        try:
            _check(user, taken)
        except ValidationError as error:
            problem = " ".join(error.messages)
            wrong.append(_("Line {line}: {problem}").format(line=at, problem=problem))
        taken.add(user.username.lower())
        found.append(user)
    if wrong:
        raise _refused(wrong)
    return found


def _user(row: dict[str, str], taken: set[str], tenant: Tenant) -> User:
    name = row.get("name", "")
    username = row.get("username", "") or _free_username(name, taken)
    user = User(
        username=User.normalize_username(username),
        first_name=name[:LONGEST_NAME],
        email=row.get("email", "").lower(),
        managed_by=tenant,
    )
    user.set_unusable_password()
    return user


def _check(user: User, taken: set[str]) -> None:
    if user.username.lower() in taken:
        text = _("username: must not be taken; got {name}")
        raise ValidationError(text.format(name=user.username))
    user.clean_fields(exclude=["password"])


def _free_username(name: str, taken: set[str]) -> str:
    """`ada-lovelace` for Ada Lovelace; `ada-lovelace-2` for the second one."""
    base = slugify(name, allow_unicode=True)[: LONGEST_NAME - 5] or "user"
    number = 1
    username = base
    while username in taken:
        number += 1
        username = f"{base}-{number}"
    return username


def _refused(messages: list[str]) -> ServiceError:
    shown = messages[:10]
    return ServiceError(
        "invalid", " ".join(shown), {"file": shown}, more=len(messages) - len(shown)
    )
