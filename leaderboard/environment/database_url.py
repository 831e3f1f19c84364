"""Parses DATABASE_URL to the form that Django expects.

PostgreSQL's own library parses the addresses of its servers, so several hosts, socket folders and
encoded characters work as in `psql`.
"""

from __future__ import annotations

from typing import Final, TypedDict, cast
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

SCHEMES: Final = {
    "sqlite": "django.db.backends.sqlite3",
    "postgres": "django.db.backends.postgresql",
    "postgresql": "django.db.backends.postgresql",
}
FLAGS: Final = (
    "ATOMIC_REQUESTS",
    "AUTOCOMMIT",
    "CONN_HEALTH_CHECKS",
    "DISABLE_SERVER_SIDE_CURSORS",
)
"""Django's settings that the query may contain in lower case, besides CONN_MAX_AGE in seconds.
Other parameters are passed to the driver."""
ACCEPTED: Final = (
    "sqlite:////absolute/path.sqlite3 or postgresql://user:password@host:5432/name"
    " (a socket folder goes into ?host=/folder)"
)
_TRUTH: Final = {"1": True, "true": True, "0": False, "false": False}


class DatabaseEntry(TypedDict, total=False):
    """An entry of Django's DATABASES."""

    ENGINE: str
    NAME: str
    USER: str
    PASSWORD: str
    HOST: str
    PORT: str | int
    CONN_MAX_AGE: int | None
    ATOMIC_REQUESTS: bool
    AUTOCOMMIT: bool
    CONN_HEALTH_CHECKS: bool
    DISABLE_SERVER_SIDE_CURSORS: bool
    OPTIONS: dict[str, str | int]
    TEST: dict[str, str | bool]


def database_config(url: str) -> DatabaseEntry:
    """The entry for Django's DATABASES. Raises ValueError.

    url: `sqlite:///relative`, `sqlite:////absolute`, or an address that PostgreSQL's programs
    accept.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise ValueError("unknown scheme")
    entry = _file(parts) if parts.scheme == "sqlite" else _server(url.partition("?")[0])
    if not entry["NAME"]:
        raise ValueError("no name")
    return {"ENGINE": SCHEMES[parts.scheme], **entry, **_settings(parts.query)}


def _file(parts: SplitResult) -> DatabaseEntry:
    name = unquote(parts.path[1:])
    # Each thread would get a database in memory of its own.
    return {"NAME": "" if name == ":memory:" else name}


def _server(url: str) -> DatabaseEntry:
    """A socket folder is given as the host or before the name: `postgresql:////run/pg/name`."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        read = {key: str(value) for key, value in conninfo_to_dict(url).items()}
    except ProgrammingError:
        raise ValueError("not an address of PostgreSQL") from None
    port, host, name = (read.get(key, "") for key in ("port", "host", "dbname"))
    if not all(number.isdecimal() for number in port.split(",") if number):
        raise ValueError("a port is a number")
    if name.startswith("/"):
        host, _, name = name.rpartition("/")
    user, password = read.get("user", ""), read.get("password", "")
    return {"NAME": name, "USER": user, "PASSWORD": password, "HOST": host, "PORT": _number(port)}


def _settings(query: str) -> DatabaseEntry:
    entry: dict[str, object] = {}
    options: dict[str, str | int] = {}
    for key, value in parse_qsl(query):
        name = key.upper()
        if name == "CONN_MAX_AGE":
            entry[name] = None if value.lower() == "none" else int(value)
        elif name in FLAGS:
            entry[name] = _flag(value)
        else:
            options[key] = _number(value)
    return cast(DatabaseEntry, entry | ({"OPTIONS": options} if options else {}))


def _number(value: str) -> str | int:
    return int(value) if value.isdecimal() else value


def _flag(value: str) -> bool:
    try:
        return _TRUTH[value.lower()]
    except KeyError:
        raise ValueError("not a flag") from None
