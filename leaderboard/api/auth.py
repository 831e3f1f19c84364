"""Authentication by a token in the Authorization header. Django REST framework handles sessions."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext as _
from knox.auth import TokenAuthentication as KnoxAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from leaderboard.cache.rates import address_of, wait_for
from leaderboard.models import ApiToken, User
from leaderboard.services.tokens import token_of


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]
    """`Authorization: Bearer TOKEN`; `request.auth` is then the token.

    An unknown, revoked or expired token is refused even if none is needed. Wrong tokens are counted
    by address, like wrong passwords.
    """

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        _check_form(request)
        try:
            user_and_token: tuple[User, ApiToken] | None = super().authenticate(request)
        except AuthenticationFailed:
            address = address_of(request._request)
            if wait := wait_for(settings.THROTTLE_READ, f"wrong-token:{address}"):
                raise Throttled(wait=wait) from None
            raise
        return user_and_token

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        api_token = token_of(token.decode("latin-1"))
        if api_token is None:
            raise AuthenticationFailed(_("This token is unknown, revoked or expired."))
        return api_token.user, api_token


def _check_form(request: Request) -> None:
    """Raise AuthenticationFailed unless `Bearer` precedes one token. Its errors repeat no token."""
    parts = get_authorization_header(request).split()
    if not parts or parts[0].lower() != b"bearer" or len(parts) == 2:
        return
    got = _("no token") if len(parts) == 1 else _("a token with spaces")
    raise AuthenticationFailed(
        _("Authorization: must be Bearer and a token; got {sent}").format(sent=got)
    )
