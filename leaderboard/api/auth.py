"""Who is asking: a token in the Authorization header. Sessions are Django REST framework's own."""

from __future__ import annotations

from knox.auth import TokenAuthentication as KnoxAuthentication
from rest_framework.exceptions import AuthenticationFailed

from leaderboard.models import ApiToken, User
from leaderboard.services.tokens import token_of


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]
    """`Authorization: Bearer TOKEN`; `request.auth` is then the token.

    An unknown, revoked or expired token is refused even where none is needed.
    """

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        found = token_of(token.decode("latin-1"))
        if found is None:
            raise AuthenticationFailed("This token is unknown, revoked or expired.")
        return found.user, found
