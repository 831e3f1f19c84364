"""API tokens: made, found by their text, revoked. Only a hash of a token is stored."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from knox.crypto import hash_token
from knox.settings import CONSTANTS

from leaderboard.models import ApiToken, Tenant, User
from leaderboard.models.api_token import SCOPES
from leaderboard.models.built_once import Lookup
from leaderboard.services.errors import ServiceError, invalid

MAX_NAME = 80
LAST_USE_EVERY = timedelta(minutes=1)
PREFIX_LENGTH: int = CONSTANTS.TOKEN_KEY_LENGTH
"""So much of a token is stored in plain text, to tell one from another."""
SHORTEST_PREFIX = 8
_TOKEN: Lookup[ApiToken] = Lookup(
    lambda digest: ApiToken.objects.select_related("user").filter(
        digest=digest, user__is_active=True
    ),
    digest=str,
)


def create_token(
    *,
    user: User,
    name: str = "",
    scopes: Iterable[str],
    tenant: Tenant | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """A new token of a user, and its text, which cannot be read again.

    `organise` holds for `tenant`, which the user must organise. Raises ServiceError.
    """
    asked = set(scopes)
    if not asked or asked - set(SCOPES):
        raise invalid("scopes", _("must be one or more of {names}").format(names=", ".join(SCOPES)))
    if len(name) > MAX_NAME or not name.isprintable():
        raise invalid(
            "name", _("must be one line of at most {max_name} characters").format(max_name=MAX_NAME)
        )
    if expires_at is not None and expires_at <= timezone.now():
        raise invalid("expires_at", _("must be in the future"))
    if "organise" in asked:
        _check_organises(user, tenant)
    made: tuple[ApiToken, str] = ApiToken.objects.create(
        user=user,
        expiry=expires_at - timezone.now() if expires_at else None,
        name=name,
        scopes=[scope for scope in SCOPES if scope in asked],
        tenant=tenant if "organise" in asked else None,
    )
    return made


def token_of(text: str) -> ApiToken | None:
    """The token with this text, with its user; None if there is none, or it has ended.

    Records its last use, at most once a minute.
    """
    token = _TOKEN.first(digest=hash_token(text))
    if token is None or (token.expiry is not None and token.expiry <= timezone.now()):
        return None
    _note_use(token)
    return token


def revoke_token(token: ApiToken) -> None:
    """End the token."""
    token.delete()


def token_with_prefix(prefix: str) -> ApiToken:
    """The one token that begins like this; the whole text will do.

    Raises ServiceError: `invalid` for less than 8 characters, `not_found`, `conflict` for several.
    """
    if len(prefix) < SHORTEST_PREFIX:
        raise invalid(
            "prefix",
            _("must have at least {shortest_prefix} characters").format(
                shortest_prefix=SHORTEST_PREFIX
            ),
        )
    found: list[ApiToken] = list(
        ApiToken.objects.filter(token_key__startswith=prefix[:PREFIX_LENGTH])[:2]
    )
    if not found:
        raise ServiceError(
            "not_found", _("no token begins with {prefix}").format(prefix=prefix[:PREFIX_LENGTH])
        )
    if len(found) > 1:
        raise ServiceError("conflict", _("several tokens begin like this; give more of it"))
    return found[0]


def _check_organises(user: User, tenant: Tenant | None) -> None:
    if tenant is None:
        raise invalid("tenant", _("scope organise holds for one tenant: name it"))
    if not user.organises(tenant.pk):
        raise ServiceError(
            "permission_denied",
            _("{user} does not organise {tenant}.").format(user=user, tenant=tenant),
        )


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > LAST_USE_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
