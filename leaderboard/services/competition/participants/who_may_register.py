"""Who may register for a challenge, by the mode that its organisers declare."""

from __future__ import annotations

from math import ceil
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.cache.rates import wait_for
from leaderboard.models import RegistrationRules, User
from leaderboard.schemas.choices import RegistrationMode
from leaderboard.services.errors import ServiceError

Mode: Final = RegistrationMode


def check_may_register(rules: RegistrationRules | None, user: User, code: str) -> None:
    """Whether the mode lets the user register. code: what they sent, or "".

    Raises ServiceError: `permission_denied`, or `throttled` if they tried too many codes.
    """
    if rules is None or rules.mode in (Mode.OPEN, Mode.APPROVAL):
        return
    if rules.mode == Mode.CODE:
        _check_code(rules, user, code)
    else:
        check_listed(rules, user)


def check_listed(rules: RegistrationRules, user: User) -> None:
    """Check the user's addresses or invitation, if the mode requires it.

    Raises ServiceError.
    """
    addresses = _addresses_of(user)
    if rules.mode == Mode.DOMAIN:
        domains = {address.rpartition("@")[2] for address in addresses}
        if domains.isdisjoint(rules.domains):
            listed = ", ".join(rules.domains)
            text = _("You need a confirmed e-mail address of one of these domains: {domains}.")
            raise ServiceError("permission_denied", text.format(domains=listed))
    if rules.mode == Mode.INVITED and addresses.union(_given_name(rules, user)).isdisjoint(
        rules.invited
    ):
        text = _(
            "Only people whom an organiser has invited may take part. An invited e-mail address"
            " counts when you have confirmed it."
        )
        raise ServiceError("permission_denied", text)


def _check_code(rules: RegistrationRules, user: User, code: str) -> None:
    """Compare the code. The number of tries is limited, so that it cannot be guessed."""
    wait = wait_for(settings.THROTTLE_SIGN_IN, f"code:{rules.challenge_id}:{user.pk}")
    if wait is not None:
        raise too_many_tries(max(1, ceil(wait)))
    if not constant_time_compare(code.strip(), rules.code):
        text = _("must be the code of this challenge; got another")
        raise ServiceError("permission_denied", f"code: {text}", {"code": [text]})


def too_many_tries(seconds: int) -> ServiceError:
    """The error for somebody who tries codes faster than people type them."""
    text = ngettext(
        "You tried too many codes. Try again in {count} second.",
        "You tried too many codes. Try again in {count} seconds.",
        seconds,
    )
    error = ServiceError("throttled", text.format(count=seconds))
    error.retry_after = seconds
    return error


def _given_name(rules: RegistrationRules, user: User) -> set[str]:
    """The username, if an operator or an organiser of the tenant gave it.

    Everybody could have chosen the name of somebody who is invited, or have it given in a tenant
    of their own.
    """
    is_ours = user.managed_by_id in (None, rules.challenge.tenant_id)
    return {user.username.lower()} if is_ours and not user.is_self_named else set()


def _addresses_of(user: User) -> set[str]:
    addresses = EmailAddress.objects.filter(user=user, verified=True).values_list(
        "email", flat=True
    )
    return {address.lower() for address in addresses}
