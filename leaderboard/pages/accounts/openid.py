"""OpenID Connect: checks the claims of a provider about a person.

django-allauth implements the protocol (authorisation code, state, PKCE). It does not check the
signature of tokens that come directly from the provider, nor whether token and userinfo have the
same `sub`. This module checks both.
"""

from __future__ import annotations

from typing import Any, Final

import jwt
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest
from django.urls import reverse
from requests import RequestException

from leaderboard.http.links import absolute
from leaderboard.rules.json.untyped_dicts import ForeignObject, FrameworkDict
from leaderboard.rules.texts.names import plain_name

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a public key. Those with a shared secret are refused."""
CLOCKS: Final = 60
"""Seconds by which the clocks of provider and server may differ."""
NEEDED: Final = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")
LONGEST_SUBJECT: Final = 191


class OpenIdAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """The requests to a provider. All failures raise OAuth2Error."""

    @property
    def openid_config(self) -> ForeignObject:
        """The provider's published configuration, fetched once per request."""
        if not hasattr(self, "_config"):
            self._config = self._discovered()
        return self._config

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return absolute(request, reverse("openid_connect_callback", args=[self.provider_id]))

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """The person whom the provider has signed in, by its id_token and its userinfo."""
        claims = self._claims(app, kwargs["response"].get("id_token"))
        if url := self.openid_config.get("userinfo_endpoint"):
            more = fetched(url, {"Authorization": f"Bearer {token.token}"})
            if more.get("sub") != claims["sub"]:
                raise OAuth2Error("the userinfo is about somebody else than the id_token")
            claims |= more
        return self.get_provider().sociallogin_from_response(request, claims)

    def _discovered(self) -> ForeignObject:
        server = self.get_provider().server_url
        config = fetched(server)
        if missing := [name for name in NEEDED if not isinstance(config.get(name), str)]:
            raise OAuth2Error(f"{server} has no {', '.join(missing)}")
        issuer = server.partition("/.well-known/")[0]
        if config["issuer"].rstrip("/") != issuer.rstrip("/"):
            raise OAuth2Error(f"{server} calls itself {config['issuer']}: use that as server_url")
        return config

    def _claims(self, app: SocialApp, id_token: Any) -> ForeignObject:
        config = self.openid_config
        try:
            claims: ForeignObject = jwt.decode(
                id_token,
                _key_of(id_token, fetched(config["jwks_uri"])),
                algorithms=ALGORITHMS,
                audience=app.client_id,
                issuer=config["issuer"],
                leeway=CLOCKS,
                options={"require": ["exp", "iat", "sub"]},
            )
        except (jwt.PyJWTError, TypeError, ValueError) as error:
            raise OAuth2Error(f"the id_token is not valid: {error}") from error
        subject = claims["sub"]
        if not (1 <= len(subject) <= LONGEST_SUBJECT and subject.isprintable()):
            raise OAuth2Error(f"sub must have 1 to {LONGEST_SUBJECT} printable characters")
        return claims


class OpenIdProvider(OpenIDConnectProvider):  # type: ignore[misc]
    """Reads a person from the claims of a provider."""

    oauth2_adapter_class = OpenIdAdapter
    pkce_enabled_default = True

    def extract_email_addresses(self, data: FrameworkDict) -> list[EmailAddress]:
        """The address; confirmed only if the claim is true: some providers send the text "false",
        which is true in Python."""
        address = data.get("email")
        is_confirmed = data.get("email_verified") is True
        if not isinstance(address, str):
            return []
        return [EmailAddress(email=address, verified=is_confirmed, primary=True)]

    def extract_common_fields(self, data: FrameworkDict) -> dict[str, str]:
        """The names and the address, without values that cannot be shown."""
        names = {
            "username": data.get("preferred_username"),
            "first_name": data.get("given_name"),
            "last_name": data.get("family_name"),
            "name": data.get("name"),
            "email": data.get("email"),
        }
        return {name: clean for name, value in names.items() if (clean := _clean(value))}

    def extract_extra_data(self, data: FrameworkDict) -> dict[str, str]:
        """The data stored beside `sub`: the person's name there, for the account page."""
        fields = self.extract_common_fields(data)
        name_fields = ("email", "username", "name")
        return {"shown": next((fields[name] for name in name_fields if name in fields), "")}

    def serialize(self) -> FrameworkDict:
        """The id, because two providers may have given us the same client_id."""
        return {"id": self.app.provider_id, "app.client_id": self.app.client_id}


def fetched(url: str, headers: dict[str, str] | None = None) -> ForeignObject:
    """The JSON object at an address of a provider. Raises OAuth2Error."""
    try:
        with get_adapter().get_requests_session() as session:
            response = session.get(url, headers=headers)
            response.raise_for_status()
            answer = response.json()
    except RequestException as error:
        raise OAuth2Error(f"no answer of {url}: {error}") from error
    if not isinstance(answer, dict):
        raise OAuth2Error(f"{url} must answer a JSON object")
    return answer


def _key_of(id_token: Any, keys: ForeignObject) -> jwt.PyJWK:
    """The key that a token names; a token that names none was signed with the only key."""
    wanted = jwt.get_unverified_header(id_token).get("kid")
    provider_keys = jwt.PyJWKSet.from_dict(keys).keys
    fitting = [key for key in provider_keys if wanted is None or key.key_id == wanted]
    if len(fitting) != 1:
        raise jwt.PyJWKSetError(f"the provider has {len(fitting)} keys of the id {wanted!r}")
    return fitting[0]


def _clean(value: Any) -> str:
    try:
        return plain_name(value) if isinstance(value, str) else ""
    except ValueError:
        return ""
