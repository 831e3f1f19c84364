"""Parses EMAIL_URL, the mail server as one URL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

ACCEPTED: Final = (
    "smtp://[user:password@]host[:25], smtp+tls://… (STARTTLS, port 587),"
    " smtps://… (TLS, port 465), or empty for none"
)
ADDRESS: Final = re.compile(r"([^<>\r\n]+ <)?[^\s<>@]+@[^\s<>@]+>?", re.ASCII)
PORTS: Final = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailServer:
    """A mail server, with the settings of the connection."""

    host: str
    port: int
    user: str
    password: str
    starttls: bool
    ssl: bool


def parse_mail_url(text: str) -> MailServer | None:
    """Parse a URL such as `smtp+tls://user:password@mail.example.org`.

    None for "". Characters that a URL reserves are percent-encoded. Raises ValueError.
    """
    if not text:
        return None
    parts = urlsplit(text)
    if parts.scheme not in PORTS or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError
    return MailServer(
        host=parts.hostname,
        port=parts.port or PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        starttls=parts.scheme == "smtp+tls",
        ssl=parts.scheme == "smtps",
    )


def mail_address(text: str) -> str:
    """`board@example.org` or `The board <board@example.org>`. Raises ValueError for others."""
    if not ADDRESS.fullmatch(text) or ("<" in text) != text.endswith(">"):
        raise ValueError
    return text
