"""The OpenID Connect providers with which people may sign in: the setting OPENID_CONNECT."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

ACCEPTED: Final = (
    "a JSON list, or the absolute path of a file with one, of objects with the texts id"
    " (a-z, 0-9 and -, each one once), name, server_url (https), client_id and client_secret,"
    " or empty for none"
)
"""What `parse_providers` accepts, in words."""

ID: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
LONGEST: Final = {"id": 40, "name": 40, "server_url": 500, "client_id": 191, "client_secret": 1000}
"""The fields of a provider, with the most characters that each may have."""


@dataclass(frozen=True, slots=True)
class ProviderSetting:
    """A provider as its operator registered this site there.

    id: part of the address of this site to which the provider sends people back, and stored with
    each account. server_url: the issuer; its settings are at `/.well-known/openid-configuration`.
    """

    id: str
    name: str
    server_url: str
    client_id: str
    client_secret: str = field(repr=False)


def parse_providers(text: str) -> tuple[ProviderSetting, ...]:
    """The providers in a JSON list, or in the file that has one. Raises ValueError."""
    if not text:
        return ()
    try:
        rows = json.loads(text if text.startswith("[") else _file(text))
    except OSError as error:
        raise ValueError(ACCEPTED) from error
    if not isinstance(rows, list):
        raise ValueError(ACCEPTED)
    providers = tuple(_provider(row) for row in rows)
    if len({each.id for each in providers}) < len(providers):
        raise ValueError(ACCEPTED)
    return providers


def _file(path: str) -> str:
    if not Path(path).is_absolute():
        raise ValueError(ACCEPTED)
    return Path(path).read_text(encoding="utf-8")


def _provider(row: Any) -> ProviderSetting:
    if not isinstance(row, dict) or row.keys() != LONGEST.keys():
        raise ValueError(ACCEPTED)
    for name, value in row.items():
        if not isinstance(value, str) or not 1 <= len(value) <= LONGEST[name]:
            raise ValueError(ACCEPTED)
        if not value.isprintable():
            raise ValueError(ACCEPTED)
    if not ID.fullmatch(row["id"]) or not _is_server(row["server_url"]):
        raise ValueError(ACCEPTED)
    return ProviderSetting(**row)


def _is_server(url: str) -> bool:
    """Whether the connection to the server is protected: https, or on the same machine."""
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    return bool(is_safe and parts.hostname and not parts.query and not parts.fragment)
