"""Gives up a PostgreSQL that stops answering and keeps its connections open.

While its disk hangs, for example, its host still confirms all that arrives, so no time limit of the
network ends a statement. But some statements take long on a server that works. So after some
seconds of silence another connection asks whether the server answers.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.errors import ConnectionTimeout

ASKED_AFTER: Final = 5.0
"""The seconds of silence after which the server is asked, and asked again."""

T = TypeVar("T")
Waits = Generator[Any, Any, T]
"""What the driver waits for: yields `psycopg.waiting.Wait`, and is sent what is ready, or 0 every
tenth of a second."""


def give_up_silent(connection: BaseDatabaseWrapper) -> None:
    """Let statements of an open connection fail when the server no longer answers."""
    driver: psycopg.Connection = connection.connection
    wait = driver.wait

    def limited(waits: Waits[T], *args: Any, **options: Any) -> T:
        return wait(_until_given_up(waits, driver, asks), *args, **options)

    asks = partial(_answers, connection)
    driver.wait = limited  # type: ignore[method-assign, assignment]


def _until_given_up(waits: Waits[T], driver: psycopg.Connection, asks: partial[bool]) -> Waits[T]:
    """The same waits. Raises OperationalError and closes the connection if the server hangs."""
    heard = monotonic()
    try:
        wanted = next(waits)
        while True:
            ready = yield wanted
            if ready:
                heard = monotonic()
            elif monotonic() > heard + ASKED_AFTER:
                if not asks():
                    driver.pgconn.finish()
                    raise psycopg.OperationalError("the server hangs")
                heard = monotonic()
            wanted = waits.send(ready)
    except StopIteration as ended:
        result: T = ended.value
        return result


def _answers(connection: BaseDatabaseWrapper) -> bool:
    """Whether the server answers a new connection in time, even if it refuses it."""
    try:
        psycopg.connect(**connection.get_connection_params()).close()
    except ConnectionTimeout:
        return False
    except psycopg.Error:
        pass
    return True
