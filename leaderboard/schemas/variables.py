"""Kinds of values that a variable of the environment may have.

Each kind is an annotated type: pydantic reads the text of the variable, and `accepted` says in
words what it takes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, get_args
from urllib.parse import urlsplit

from annotated_types import Ge, Le, MaxLen
from pydantic import BeforeValidator, Field, GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from leaderboard.rules.addresses import AllowedTargets, allowed_targets
from leaderboard.rules.plugins.owners import PACKAGE
from leaderboard.rules.texts.mail_url import ACCEPTED as ACCEPTED_MAIL
from leaderboard.rules.texts.mail_url import MailServer, mail_address, parse_mail_url
from leaderboard.schemas.openid_providers import ACCEPTED as ACCEPTED_PROVIDERS
from leaderboard.schemas.openid_providers import ProviderSetting, parse_providers

RATE: Final = re.compile(r"[1-9][0-9]{0,8}/(s|sec|second|m|min|minute|h|hour|d|day)", re.ASCII)
WAITING: Final = re.compile(r"(?P<number>[1-9][0-9]{0,9})(/(?P<of>participant|tenant))?", re.ASCII)
ORIGIN: Final = re.compile(r"https?://[A-Za-z0-9*.\-\[\]:]+")
HOST: Final = re.compile(r"\*|\.?[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)*|\[[0-9A-Fa-f:.]+\]")
PUBLIC_URL: Final = re.compile(
    r"(?i:(?P<origin>https?://([a-z0-9\-]+(\.[a-z0-9\-]+)*|\[[0-9a-f:.]+\])(:(?P<port>[1-9][0-9]{0,4}))?))"
    r"(?P<path>(/[A-Za-z0-9_~\-][A-Za-z0-9._~\-]*)*)",
    re.ASCII,
)
MAX_PORT: Final = 65535
WAITING_OF_PARTICIPANT: Final = 10_000
WAITING_OF_TENANT: Final = 50_000


@dataclass(frozen=True, slots=True)
class AcceptedText:
    """What a kind accepts, in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number counts."""

    name: str


@dataclass(frozen=True, slots=True)
class ReadBy:
    """A kind that a function reads from the text; it raises ValueError for a wrong one."""

    parse: Callable[[str], object]
    text: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.parse)


def accepted(field: FieldInfo) -> str:
    """What a variable of this kind takes, in words: `an integer from 1 to 8 attempts`."""
    parts = {type(part): part for part in field.metadata}
    if words := parts.get(ReadBy) or parts.get(AcceptedText):
        return str(words.text)
    if field.annotation is bool:
        return "1, true, yes, on or 0, false, no, off"
    if field.annotation is str:
        return f"one line of at most {parts[MaxLen].max_length} characters"
    if choices := get_args(field.annotation):
        return " or ".join(choices)
    number = "an integer" if field.annotation is int else "a number"
    return f"{number} from {parts[Ge].ge:g} to {parts[Le].le:.0f} {parts[Unit].name}"


def _one_line(value: str) -> str:
    if not value.isprintable():
        raise ValueError
    return value


def _web_address(value: str) -> str:
    parts = urlsplit(_one_line(value))
    is_web = parts.scheme in ("http", "https") and parts.hostname and " " not in value
    if value and not (is_web and len(value) <= 500):
        raise ValueError
    return value


def _public_url(value: str) -> str:
    """The address as browsers write it, without a slash at the end."""
    if not value:
        return ""
    match = PUBLIC_URL.fullmatch(value.removesuffix("/"))
    if match is None or int(match["port"] or 1) > MAX_PORT:
        raise ValueError
    origin = match["origin"].lower()
    usual_port = ":443" if origin.startswith("https:") else ":80"
    return origin.removesuffix(usual_port) + match["path"]


def _redis_url(value: str) -> str:
    parts = urlsplit(value)
    has_host = parts.scheme in ("redis", "rediss") and parts.hostname and parts.port != 0
    if value and not (has_host or (parts.scheme == "unix" and parts.path)):
        raise ValueError
    return value


def _request_rate(value: str) -> str | None:
    if value.lower() == "off":
        return None
    if not RATE.fullmatch(value):
        raise ValueError
    return value


def _waiting_limits(value: str) -> tuple[int | None, int | None]:
    """How many attempts of a participant, and of a tenant, may wait."""
    if value.lower() == "off":
        return None, None
    limits: dict[str, int] = {}
    for part in value.split(","):
        match = WAITING.fullmatch(part.strip())
        if match is None or (of := match["of"] or "participant") in limits:
            raise ValueError
        limits[of] = int(match["number"])
    return (
        limits.get("participant", WAITING_OF_PARTICIPANT),
        limits.get("tenant", WAITING_OF_TENANT),
    )


def _matching(pattern: re.Pattern[str]) -> Callable[[str], list[str]]:
    def parse(value: str) -> list[str]:
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if not all(map(pattern.fullmatch, parts)):
            raise ValueError
        return parts

    return parse


def _existing(exists: Callable[[Path], bool]) -> Callable[[str], list[str]]:
    def parse(value: str) -> list[str]:
        paths = [Path(part) for part in value.split(os.pathsep) if part]
        if not all(path.is_absolute() and exists(path) for path in paths):
            raise ValueError
        return [os.path.abspath(path) for path in paths]

    return parse


def _writable_folder(value: str) -> Path:
    """The folder, created if it is missing. Other users may enter it, but not list its files."""
    try:
        folder = Path(value).expanduser().resolve()
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        raise ValueError from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError
    return folder


def _sentry_dsn(value: str) -> str:
    if not value:
        return ""
    from sentry_sdk.utils import BadDsn, Dsn  # takes a tenth of a second

    try:
        Dsn(_one_line(value))
    except BadDsn:
        raise ValueError from None
    return value


def available_processors() -> int:
    """The number of processors that this process may use, if the system reports it, else all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _lists(of: str, pattern: re.Pattern[str]) -> ReadBy:
    return ReadBy(_matching(pattern), f"a comma-separated list of {of}")


Text = Annotated[str, BeforeValidator(_one_line)]
LowerCase = BeforeValidator(str.lower)
Hosts = Annotated[list[str], _lists("host names without port, or *", HOST)]
Origins = Annotated[list[str], _lists("origins such as https://board.example.org", ORIGIN)]
Packages = Annotated[list[str], _lists("names of top-level packages", PACKAGE)]
Rate = Annotated[
    str | None,
    ReadBy(_request_rate, "a count per second, minute, hour or day such as 600/min, or off"),
]
"""A rate as Django REST framework reads it; None for `off`."""
WaitingLimits = Annotated[
    tuple[int | None, int | None],
    ReadBy(_waiting_limits, "limits such as 1000/participant,10000/tenant, or one of them, or off"),
]
"""The limits of a participant and of a tenant; None for `off`."""
WebhookTargets = Annotated[
    AllowedTargets,
    ReadBy(allowed_targets, "networks and host names such as 10.0.0.0/8,chat.example.org"),
]
PublicUrl = Annotated[
    str,
    ReadBy(
        _public_url,
        "one address such as https://board.example.org or https://example.org/podium",
    ),
]
Link = Annotated[str, ReadBy(_web_address, "an address such as https://example.org/source")]
Redis = Annotated[
    str,
    ReadBy(_redis_url, "redis://[:password@]host:6379/0, rediss://… or unix:///path, or empty"),
    Field(repr=False),
]
WritableFolder = Annotated[Path, ReadBy(_writable_folder, "a folder that can be written to")]
Folders = Annotated[
    list[str],
    ReadBy(_existing(Path.is_dir), f"existing absolute folders, separated by {os.pathsep!r}"),
]
Files = Annotated[
    list[str],
    ReadBy(
        _existing(Path.is_file),
        f"existing files with absolute paths, separated by {os.pathsep!r}",
    ),
]
MailSetting = Annotated[MailServer | None, ReadBy(parse_mail_url, ACCEPTED_MAIL), Field(repr=False)]
MailAddress = Annotated[
    str, ReadBy(mail_address, "board@example.org or The board <board@example.org>")
]
Providers = Annotated[
    tuple[ProviderSetting, ...], ReadBy(parse_providers, ACCEPTED_PROVIDERS), Field(repr=False)
]
SentryDsn = Annotated[
    str,
    ReadBy(_sentry_dsn, "https://key@host/project, as Sentry shows it, or empty"),
    Field(repr=False),
]
