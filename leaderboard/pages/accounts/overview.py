"""The rows of the account page about ways to sign in, with links to change them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.models import User


@dataclass(frozen=True, slots=True)
class Setting:
    """A row: the name of a setting, its current value, and the page that changes it."""

    label: str
    value: str
    url: str


def settings_of(user: User, *, organises: bool) -> list[Setting]:
    """The rows of a user. organises: whether they organise a tenant, and so invite people."""
    return list(_rows(user, organises))


def _rows(user: User, organises: bool) -> Iterator[Setting]:
    yield Setting(_("Name"), user.get_full_name() or _("not given"), reverse("account-name"))
    yield Setting(_("E-mail address"), _address(user), reverse("account_email"))
    yield Setting(_("Notices"), _("what, and how"), reverse("account-mail"))
    password = pgettext("password", "chosen") if user.has_usable_password() else _("none yet")
    yield Setting(_("Password"), password, reverse("password"))
    factor = _("on") if is_mfa_enabled(user) else _("off")
    yield Setting(_("Second factor"), factor, reverse("mfa_index"))
    if settings.OPENID_CONNECT:
        accounts = _accounts(user)
        yield Setting(_("Connected accounts"), accounts, reverse("socialaccount_connections"))
    yield Setting(_("Sessions"), _("where you are signed in"), reverse("account-sessions"))
    if organises:
        yield Setting(_("People"), _("invite and help them"), reverse("people"))


def _address(user: User) -> str:
    rows = EmailAddress.objects.filter(user=user).order_by("-verified", "-primary")
    row = rows.first()
    if row is None:
        return user.email or _("none")
    if row.verified:
        return str(row.email)
    return _("{address}, not confirmed").format(address=row.email)


def _accounts(user: User) -> str:
    names = {provider.id: provider.name for provider in settings.OPENID_CONNECT}
    used = SocialAccount.objects.filter(user=user).order_by("pk").values_list("provider", flat=True)
    return ", ".join(names.get(provider_id, provider_id) for provider_id in used) or _("none")
