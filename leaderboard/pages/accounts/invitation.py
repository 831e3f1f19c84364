"""The invitation that a visitor has opened, kept in their session until they have signed up."""

from __future__ import annotations

from typing import Final

from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import render

from leaderboard.models import OneTimeLink, User
from leaderboard.services.accounts.one_time_links import accept_invitation, open_invitation
from leaderboard.services.errors import ServiceError

KEY: Final = "invitation"


def keep_invitation(request: HttpRequest, link: OneTimeLink) -> None:
    request.session[KEY] = link.pk


def invitation_of(request: HttpRequest) -> OneTimeLink | None:
    """The invitation with which the visitor may sign up now."""
    pk = request.session.get(KEY)
    return open_invitation(pk) if pk and settings.SIGN_UP != "off" else None


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
