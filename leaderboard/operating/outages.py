"""Outages of the database, broker, cache, sandbox and disk: a log line at the start and at the end.

A database that is unavailable for a minute fails a thousand requests. Each of them already has a
line in the log (`leaderboard.monitoring.requests`), and none of them needs a traceback.
"""

from __future__ import annotations

import errno
import logging
import threading
import time

from django.db.utils import InterfaceError, OperationalError

logger = logging.getLogger(__name__)

AWAY = ("08", "28", "3D", "53300", "57P")
"""The prefixes of SQLSTATEs of an unavailable PostgreSQL: no connection, refused, stopping."""
DISK_FULL = "53100"
READ_ONLY = "25006"
IDLE_TOO_LONG = "25P03"
"""The server ended a session in whose transaction nothing happened for long."""
LOCKED = "55P03"
SQLITE_AWAY = ("BUSY", "LOCKED", "CANTOPEN", "IOERR", "READONLY", "NOTADB", "PROTOCOL")


class Outage:
    """A service that this process needs, and since when it has not answered.

    fails, works: the words for its log lines. quiet: the seconds without a failure after which a
    success ends the outage, for a service that fails only now and then.
    """

    def __init__(
        self,
        name: str,
        *,
        fails: str = "does not answer",
        works: str = "answers again",
        quiet: float = 0.0,
    ) -> None:
        self.name = name
        self._fails = fails
        self._works = works
        self._quiet = quiet
        self._since: float | None = None
        self._latest = 0.0
        self._lock = threading.Lock()

    @property
    def goes_on(self) -> bool:
        return self._since is not None

    def was_seen_within(self, seconds: float) -> bool:
        """Whether the outage goes on, as far as is known, and something failed not long ago."""
        return self.goes_on and time.monotonic() < self._latest + seconds

    def began(self, reason: object) -> None:
        """Record that the service did not answer. Logs only the first call of an outage."""
        with self._lock:
            self._latest = time.monotonic()
            if self._since is not None:
                return
            self._since = self._latest
        logger.error("the %s %s: %s", self.name, self._fails, one_line(reason))

    def ended(self) -> None:
        """Record that the service has answered. Without an outage, this does nothing."""
        if self._since is None or time.monotonic() < self._latest + self._quiet:
            return
        with self._lock:
            since, self._since = self._since, None
        if since is not None:
            lasted = time.monotonic() - since
            logger.warning("the %s %s after %.1f s", self.name, self._works, lasted)


database = Outage("database")
broker = Outage("broker")
cache = Outage("cache")
sandbox = Outage("sandbox", fails="does not work", works="works again")
saving = Outage("database", fails="does not save results", works="saves results again")
disk = Outage("disk", fails="is full", works="takes writes again", quiet=30.0)
"""Small writes still succeed on a full disk."""


def database_is_away(error: BaseException | None) -> bool:
    """Whether the error comes from an unavailable database and not from the statement."""
    if error is None:
        return False
    if isinstance(error, InterfaceError) or _state(error) in (READ_ONLY, IDLE_TOO_LONG):
        return True
    if not isinstance(error, OperationalError) or disk_is_full(error):
        return False
    state, name = _state(error), _sqlite_name(error)
    if name:
        return name.removeprefix("SQLITE_").startswith(SQLITE_AWAY)
    return state is None or state.startswith(AWAY)


def disk_is_full(error: BaseException | None) -> bool:
    """Whether the error says that there is no space left, for the database or for a file."""
    if isinstance(error, OSError):
        return error.errno in (errno.ENOSPC, errno.EDQUOT)
    if not isinstance(error, OperationalError):
        return False
    return _state(error) == DISK_FULL or _sqlite_name(error) == "SQLITE_FULL"


def database_may_answer_later(error: BaseException | None) -> bool:
    """Whether a client may repeat its request: the database is away, busy or takes no writes."""
    return isinstance(error, OperationalError) or database_is_away(error)


def waited_for_lock(error: BaseException | None) -> bool:
    """Whether another session held a lock for longer than a statement may wait."""
    return error is not None and _state(error) == LOCKED


def code_of(error: BaseException) -> str:
    """The SQLSTATE, SQLite's name of the error, or its class: a text without private data."""
    return _state(error) or _sqlite_name(error) or type(error).__name__


def takes_no_writes(error: BaseException) -> bool:
    """Whether the error says that the database, or this connection to it, is read-only."""
    return _state(error) == READ_ONLY or _sqlite_name(error).startswith("SQLITE_READONLY")


def one_line(reason: object) -> str:
    """The first line of an error's text, as PostgreSQL's errors have several lines."""
    return next(iter(str(reason).strip().splitlines()), type(reason).__name__)[:300]


def _state(error: BaseException) -> str | None:
    """The SQLSTATE of a PostgreSQL error; None if no server has answered."""
    state: str | None = getattr(error.__cause__, "sqlstate", None)
    return state


def _sqlite_name(error: BaseException) -> str:
    return str(getattr(error.__cause__, "sqlite_errorname", ""))
