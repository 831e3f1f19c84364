"""The OpenID Connect providers with which people may sign in: the setting OPENID_CONNECT."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from leaderboard.rules.json.strict import parse_json
from leaderboard.schemas.base import Strict
from leaderboard.schemas.texts import Line

ACCEPTED: Final = (
    "a JSON list, or the absolute path of a file with one, of objects with the texts id"
    " (a-z, 0-9 and -, each one once), name, server_url (https), client_id and client_secret,"
    " or empty for none"
)
"""What `parse_providers` accepts, in words."""

ID: Final = r"^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$"
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def _protected(url: str) -> str:
    """Refuse a server to which the connection is not protected: https, or on the same machine."""
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not (is_safe and parts.hostname and not parts.query and not parts.fragment):
        raise ValueError(ACCEPTED)
    return url


class ProviderSetting(Strict):
    """A provider as its operator registered this site there.

    id: part of the address of this site to which the provider sends people back, and stored with
    each account. server_url: the issuer; its settings are at `/.well-known/openid-configuration`.
    """

    id: Annotated[str, Field(pattern=ID)]
    name: Annotated[str, Line(40, trimmed=False)]
    server_url: Annotated[str, Line(500, trimmed=False), AfterValidator(_protected)]
    client_id: Annotated[str, Line(191, trimmed=False)]
    client_secret: Annotated[str, Line(1000, trimmed=False), Field(repr=False)]


PROVIDERS: Final = TypeAdapter(
    list[ProviderSetting],
    config=ConfigDict(hide_input_in_errors=True),  # secrets
)


def parse_providers(text: str) -> tuple[ProviderSetting, ...]:
    """The providers in a JSON list, or in the file that has one. Raises ValueError."""
    if not text:
        return ()
    providers = PROVIDERS.validate_python(parse_json(_json(text)))
    if len({provider.id for provider in providers}) < len(providers):
        raise ValueError(ACCEPTED)
    return tuple(providers)


def _json(text: str) -> bytes:
    if text.startswith("["):
        return text.encode()
    if not Path(text).is_absolute():
        raise ValueError(ACCEPTED)
    try:
        return Path(text).read_bytes()
    except OSError as error:
        raise ValueError(ACCEPTED) from error
