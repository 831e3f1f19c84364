"""What a visitor has opened, kept in their session until they have an account: an invitation, or
the code of a class."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse

from leaderboard.models import OneTimeLink, User
from leaderboard.services.accounts.one_time_links import accept_invitation, open_invitation
from leaderboard.services.competition.participants.taking_part import registers_by_attempt, rules_of
from leaderboard.services.errors import ServiceError

KEY: Final = "invitation"
CLASS_CODE: Final = "class_code"
LEADS_TO: Final = "leads_to"


def keep_invitation(request: HttpRequest, link: OneTimeLink) -> None:
    request.session[KEY] = link.pk
    request.session[LEADS_TO] = where_it_leads(link)


def take_destination(request: HttpRequest) -> str:
    """Where the visitor wanted to go when they opened a link or typed a code, once; "" for none.

    A sign-up may take a way by e-mail on which the address of the next page is lost.
    """
    return str(request.session.pop(LEADS_TO, ""))


def invitation_of(request: HttpRequest) -> OneTimeLink | None:
    """The invitation with which the visitor may sign up now."""
    pk = request.session.get(KEY)
    return open_invitation(pk) if pk and settings.SIGN_UP != "off" else None


def where_it_leads(link: OneTimeLink) -> str:
    """The page of the invitation's challenge, where people register if they have to; "" without."""
    if link.challenge is None:
        return ""
    if registers_by_attempt(rules_of(link.challenge)):
        return link.challenge.get_absolute_url()
    return reverse("register", args=[link.challenge.slug])


def with_next(route: str, page: str) -> str:
    """The address of a page from which people go on to another one; "" for its own."""
    return f"{reverse(route)}?{urlencode({'next': page})}" if page else reverse(route)


def keep_class_code(request: HttpRequest, code: str, page: str = "") -> None:
    """page: where people register with the code, if there is only one such page."""
    request.session[CLASS_CODE] = code.strip()
    request.session[LEADS_TO] = page


def class_code_of(request: HttpRequest) -> str:
    """The code that the visitor has typed before they signed in; "" for none."""
    return str(request.session.get(CLASS_CODE, ""))


def accept_for(request: HttpRequest, user: User) -> None:
    """Use the invitation up for a new user, in the transaction that creates the user.

    Raises ImmediateHttpResponse if the user needs an invitation and has none.
    """
    link = invitation_of(request)
    if link is None and settings.SIGN_UP == "open":
        return
    try:
        if link is None:
            raise ServiceError("permission_denied", "")
        accept_invitation(link, user)
    except ServiceError:
        closed = render(request, "account/signup_closed.html", status=403)
        raise ImmediateHttpResponse(closed) from None
    request.session.pop(KEY, None)
