"""Reads the environment variables that configure the product, each by a strict rule.

A wrong value raises `SettingError`, whose text names the variable and says what is accepted.
"""

import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from leaderboard.environment.database_url import DatabaseEntry, database_config
from leaderboard.rules.plugins.owners import ACCEPTED, parse_owners
from leaderboard.rules.texts import mail_url
from leaderboard.schemas import openid_providers

T = TypeVar("T")

TRUE = ("1", "true", "yes", "on")
FALSE = ("0", "false", "no", "off")
RATE = re.compile(r"[1-9][0-9]{0,8}/(s|sec|second|m|min|minute|h|hour|d|day)", re.ASCII)
WAITING = re.compile(r"(?P<number>[1-9][0-9]{0,9})(/(?P<of>participant|tenant))?", re.ASCII)
ORIGIN = re.compile(r"https?://[A-Za-z0-9*.\-\[\]:]+")
HOST = re.compile(r"\*|\.?[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)*|\[[0-9A-Fa-f:.]+\]")
PUBLIC_URL = re.compile(
    r"(?i:(?P<origin>https?://([a-z0-9\-]+(\.[a-z0-9\-]+)*|\[[0-9a-f:.]+\])(:(?P<port>[1-9][0-9]{0,4}))?))"
    r"(?P<path>(/[A-Za-z0-9_~\-][A-Za-z0-9._~\-]*)*)",
    re.ASCII,
)

MAX_PORT = 65535
LOG_LEVELS = ("debug", "info", "warning", "error")


class SettingError(ImproperlyConfigured):
    """A variable has a value that is not accepted."""

    def __init__(self, name: str, accepted: str, *, refused_value: str = "") -> None:
        value = f"{name}={refused_value!r}" if refused_value else f"The value of {name}"
        super().__init__(f"{value} is not accepted. Accepted: {accepted}.")


class Environment:
    """Reads variables from a mapping, and records their names, so that a test can check the docs.

    An empty variable counts as not set.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables
        self.names: list[str] = []

    def read(
        self,
        name: str,
        default: str,
        parse: Callable[[str], T],
        accepted: str,
        *,
        secret: bool = False,
    ) -> T:
        """The result of `parse` for the variable. Raises SettingError if `parse` raises ValueError.

        The message never contains the value of a `secret` variable.
        """
        self.names.append(name)
        value = self.variables.get(name, "").strip() or default
        try:
            return parse(value)
        except ValueError:
            raise SettingError(name, accepted, refused_value="" if secret else value) from None

    def text(self, name: str, default: str, *, longest: int = 60) -> str:
        accepted = f"one line of at most {longest} characters"
        return self.read(name, default, lambda value: one_line(value, longest), accepted)

    def flag(self, name: str, default: str) -> bool:
        return self.read(name, default, yes_or_no, f"{', '.join(TRUE)} or {', '.join(FALSE)}")

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        def parse(value: str) -> str:
            return choices[choices.index(value.lower())]

        return self.read(name, default, parse, " or ".join(choices))

    def integer(self, name: str, default: int, lowest: int, highest: int, unit: str = "") -> int:
        accepted = f"an integer from {lowest} to {highest} {unit}".rstrip()
        return self.read(name, str(default), within(int, lowest, highest), accepted)

    def number(self, name: str, default: float, lowest: float, highest: float, unit: str) -> float:
        accepted = f"a number from {lowest:g} to {highest:g} {unit}"
        return self.read(name, str(default), within(float, lowest, highest), accepted)

    def rate(self, name: str, default: str) -> str | None:
        """A rate such as `600/min`, as Django REST framework reads it; None for `off`."""
        accepted = "a count per second, minute, hour or day such as 600/min, or off"
        return self.read(name, default, request_rate, accepted)

    def limit(self, name: str, default: int | None) -> int | None:
        """A number that may not be exceeded; None for `off`."""

        def parse(value: str) -> int | None:
            return None if value.lower() == "off" else within(int, 1, 10**9)(value)

        accepted = "an integer from 1 to 1000000000, or off"
        return self.read(name, "off" if default is None else str(default), parse, accepted)

    def waiting_limits(
        self, name: str, participant: int, tenant: int
    ) -> tuple[int | None, int | None]:
        """How many attempts of a participant, and of a tenant, may wait; None for `off`."""

        def parse(value: str) -> tuple[int | None, int | None]:
            if value.lower() == "off":
                return None, None
            limits: dict[str, int] = {}
            for part in value.split(","):
                match = WAITING.fullmatch(part.strip())
                if match is None or (of := match["of"] or "participant") in limits:
                    raise ValueError
                limits[of] = int(match["number"])
            return limits.get("participant", participant), limits.get("tenant", tenant)

        accepted = "limits such as 1000/participant,10000/tenant, or one of them, or off"
        return self.read(name, f"{participant}/participant,{tenant}/tenant", parse, accepted)

    def names_of(self, name: str, default: str, pattern: re.Pattern[str], what: str) -> list[str]:
        """A comma-separated list whose parts all match `pattern`."""

        def parse(value: str) -> list[str]:
            parts = [part.strip() for part in value.split(",") if part.strip()]
            if not all(pattern.fullmatch(part) for part in parts):
                raise ValueError
            return parts

        return self.read(name, default, parse, f"a comma-separated list of {what}")

    def public_url(self, name: str) -> str:
        """The site's address as browsers write it, without a slash at the end; "" for none."""

        def parse(value: str) -> str:
            if not value:
                return ""
            match = PUBLIC_URL.fullmatch(value.removesuffix("/"))
            if match is None or int(match["port"] or 1) > MAX_PORT:
                raise ValueError
            origin = match["origin"].lower()
            return (
                origin.removesuffix(":443" if origin.startswith("https:") else ":80")
                + (match["path"])
            )

        accepted = "one address such as https://board.example.org or https://example.org/podium"
        return self.read(name, "", parse, accepted)

    def link(self, name: str) -> str:
        """The address of a page elsewhere; "" for none."""
        return self.read(name, "", web_address, "an address such as https://example.org/source")

    def folders(self, name: str, *default: Path) -> list[str]:
        accepted = f"existing absolute folders, separated by {os.pathsep!r}"
        return self.read(name, os.pathsep.join(map(str, default)), existing_folders, accepted)

    def files(self, name: str) -> list[str]:
        accepted = f"existing files with absolute paths, separated by {os.pathsep!r}"
        return self.read(name, "", existing_files, accepted)

    def owners(self, name: str, folders: Sequence[str]) -> dict[str, frozenset[str]]:
        """The slugs of the tenants that packages, or some of these folders, belong to."""

        def parse(value: str) -> dict[str, frozenset[str]]:
            return parse_owners(value, folders)

        return self.read(name, "", parse, ACCEPTED)

    def database(self, name: str, default: str) -> DatabaseEntry:
        accepted = (
            "sqlite:////absolute/path.sqlite3 or postgresql://user:password@host:5432/name"
            " (a socket folder goes into ?host=/folder)"
        )
        return self.read(name, default, database_config, accepted, secret=True)

    def redis(self, name: str) -> str:
        accepted = "redis://[:password@]host:6379/0, rediss://… or unix:///path, or empty"
        return self.read(name, "", redis_url, accepted, secret=True)

    def mail(self, name: str) -> mail_url.MailServer | None:
        """The server for outgoing mail; None if the server sends no mail."""
        return self.read(name, "", mail_url.parse_mail_url, mail_url.ACCEPTED, secret=True)

    def openid_providers(self, name: str) -> tuple[openid_providers.ProviderSetting, ...]:
        """The OpenID Connect providers through which people may sign in."""
        parse, accepted = openid_providers.parse_providers, openid_providers.ACCEPTED
        return self.read(name, "", parse, accepted, secret=True)

    def mail_address(self, name: str, default: str) -> str:
        accepted = "board@example.org or The board <board@example.org>"
        return self.read(name, default, mail_url.mail_address, accepted)

    def secret_key(self, name: str, *, debug: bool, kept_in: Path) -> str:
        """The key; if there is none, the key that was generated into the file `kept_in`."""

        def parse(value: str) -> str:
            if value and not debug and is_weak(value):
                raise ValueError
            return value or generated_key(kept_in)

        accepted = (
            "at least 50 characters, 5 of them different, without Django's 'django-insecure-'"
            " (DEBUG=1 takes any), or empty for one that is generated and kept in KEY_DIR"
        )
        return self.read(name, "", parse, accepted, secret=True)

    def folder(self, name: str, default: Path) -> Path:
        """A folder, created if it is missing. Other users may enter it, but not list its files."""
        return self.read(name, str(default), writable_folder, "a folder that can be written to")


def one_line(value: str, longest: int) -> str:
    if len(value) > longest or not value.isprintable():
        raise ValueError
    return value


def web_address(value: str) -> str:
    parts = urlsplit(one_line(value, 500))
    if value and not (parts.scheme in ("http", "https") and parts.hostname and " " not in value):
        raise ValueError
    return value


def yes_or_no(value: str) -> bool:
    if value.lower() not in TRUE + FALSE:
        raise ValueError
    return value.lower() in TRUE


def within(kind: Callable[[str], T], lowest: float, highest: float) -> Callable[[str], T]:
    def parse(value: str) -> T:
        number: Any = kind(value)
        if not lowest <= number <= highest:
            raise ValueError
        return number  # type: ignore[no-any-return]

    return parse


def request_rate(value: str) -> str | None:
    if value.lower() == "off":
        return None
    if not RATE.fullmatch(value):
        raise ValueError
    return value


def existing_folders(value: str) -> list[str]:
    folders = [part for part in value.split(os.pathsep) if part]
    if not all(Path(folder).is_absolute() and Path(folder).is_dir() for folder in folders):
        raise ValueError
    return [os.path.abspath(folder) for folder in folders]


def existing_files(value: str) -> list[str]:
    files = [part for part in value.split(os.pathsep) if part]
    if not all(Path(file).is_absolute() and Path(file).is_file() for file in files):
        raise ValueError
    return files


def redis_url(value: str) -> str:
    parts = urlsplit(value)
    if value and not (
        (parts.scheme in ("redis", "rediss") and parts.hostname and parts.port != 0)
        or (parts.scheme == "unix" and parts.path)
    ):
        raise ValueError
    return value


def is_weak(key: str) -> bool:
    return len(key) < 50 or len(set(key)) < 5 or key.startswith("django-insecure-")


def generated_key(path: Path) -> str:
    """The key in the file; the first process that calls this generates it.

    Raises ImproperlyConfigured if it cannot be written, as on a full disk.
    """
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            private_file(draft, secrets.token_urlsafe(64))
            os.link(draft, path)
        except FileExistsError:
            pass
        except OSError as error:
            raise ImproperlyConfigured(f"{path}: {error.strerror}") from None
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text().strip()


def private_file(path: Path, text: str = "") -> None:
    """Create a file that only its owner can read; an existing file stays unchanged."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w") as file:
        file.write(text)


def writable_folder(value: str) -> Path:
    try:
        folder = Path(value).expanduser().resolve()
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        raise ValueError from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError
    return folder


def processors() -> int:
    """The number of processors that this process may use, if the system reports it, else all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
