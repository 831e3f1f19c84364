"""Create, find and revoke API tokens. Only a hash and the first characters of one are stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from knox.crypto import hash_token
from knox.settings import CONSTANTS

from leaderboard.models import ApiToken, Challenge, Participant, Tenant, User
from leaderboard.models.api_token import SCOPES
from leaderboard.models.built_once import Lookup
from leaderboard.schemas.phases import written
from leaderboard.services.competition.roles import reviews
from leaderboard.services.errors import ServiceError, invalid

MAX_NAME = 80
LAST_USE_EVERY = timedelta(minutes=1)
PREFIX_LENGTH: int = CONSTANTS.TOKEN_KEY_LENGTH
"""How many characters of a token are stored in plain text, so that users recognise it."""
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
    challenge: Challenge | None = None,
    participant: Participant | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Create a token for a user. Returns it and its text, which cannot be read again.

    tenant: where the scope `organise` is valid, by default the tenant of `challenge`; the user must
    be its organiser or have a role in `challenge`. challenge, participant: restrict the token to
    these. Raises ServiceError.
    """
    asked = set(scopes)
    if not asked or asked - set(SCOPES):
        text = _("must be one or more of {names}").format(names=", ".join(SCOPES))
        raise invalid("scopes", text, got=", ".join(sorted(asked)))
    if len(name) > MAX_NAME or not name.isprintable():
        text = _("must be one line of at most {max_name} characters").format(max_name=MAX_NAME)
        raise invalid("name", text, got=name)
    if expires_at is not None and expires_at <= timezone.now():
        raise invalid("expires_at", _("must be in the future"), got=written(expires_at))
    if challenge is not None:
        tenant = tenant or challenge.tenant
        _check_challenge(user, challenge, tenant)
    if participant is not None:
        _check_participant(user, participant, challenge, asked)
    if "organise" in asked:
        _check_organises(user, tenant, challenge)
    made: tuple[ApiToken, str] = ApiToken.objects.create(
        user=user,
        expiry=expires_at - timezone.now() if expires_at else None,
        name=name,
        scopes=[scope for scope in SCOPES if scope in asked],
        tenant=tenant if "organise" in asked else None,
        challenge=challenge,
        participant=participant,
    )
    return made


def token_of(text: str) -> ApiToken | None:
    """The token with this text, with its user; None if it is unknown or expired.

    Records its last use, at most once a minute.
    """
    token = _TOKEN.first(digest=hash_token(text))
    if token is None or (token.expiry is not None and token.expiry <= timezone.now()):
        return None
    _note_use(token)
    return token


def revoke_token(token: ApiToken) -> None:
    """Delete the token, so that it is no longer accepted."""
    token.delete()


def token_with_prefix(prefix: str) -> ApiToken:
    """The only token with this prefix, which may be the whole text.

    Raises ServiceError: `invalid` for less than 8 characters, `not_found`, `conflict` for several.
    """
    if len(prefix) < SHORTEST_PREFIX:
        text = _("must have at least {least} characters; got {count}")
        raise invalid("prefix", text.format(least=SHORTEST_PREFIX, count=len(prefix)))
    matching: list[ApiToken] = list(
        ApiToken.objects.filter(token_key__startswith=prefix[:PREFIX_LENGTH])[:2]
    )
    if not matching:
        raise ServiceError(
            "not_found", _("no token begins with {prefix}").format(prefix=prefix[:PREFIX_LENGTH])
        )
    if len(matching) > 1:
        raise ServiceError("conflict", _("several tokens begin like this; give more of it"))
    return matching[0]


def _check_organises(user: User, tenant: Tenant | None, challenge: Challenge | None) -> None:
    """Check that the user organises the tenant, or has a role in the challenge."""
    if tenant is None:
        text = _("must be a tenant, because the scope organise is valid in one; got none")
        raise invalid("tenant", text)
    if not (user.organises(tenant.pk) or (challenge and reviews(user, challenge))):
        raise ServiceError(
            "permission_denied",
            _("{user} does not organise {tenant}.").format(user=user, tenant=tenant),
        )


def _check_challenge(user: User, challenge: Challenge, tenant: Tenant) -> None:
    if not Challenge.objects.visible_to(user).filter(pk=challenge.pk).exists():
        text = _("must be a challenge that {user} may see").format(user=user)
        raise invalid("challenge", text, got=challenge.slug)
    if tenant.pk != challenge.tenant_id:
        text = _("must belong to {tenant}").format(tenant=tenant)
        raise invalid("challenge", text, got=challenge.slug)


def _check_participant(
    user: User, participant: Participant, challenge: Challenge | None, scopes: Collection[str]
) -> None:
    if "organise" in scopes or "submit" not in scopes:
        text = _("must be absent unless the scopes have submit and not organise; got {scopes}")
        raise invalid("participant", text.format(scopes=", ".join(sorted(scopes))))
    if challenge is not None and participant.tenant_id != challenge.tenant_id:
        text = _("must be a participant of the challenge's tenant")
        raise invalid("participant", text, got=participant.handle)
    if not Participant.objects.of(user).filter(pk=participant.pk).exists():
        text = _("must be a participant that {user} may submit as; got {name}")
        raise invalid("participant", text.format(user=user, name=participant.handle))


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > LAST_USE_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
