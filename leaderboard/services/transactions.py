"""Transactions that are tried again when another one got in between, and those of one moment."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import IntegrityError, OperationalError, connection, transaction

T = TypeVar("T")

TRIES = 5
PAUSE_SECONDS = 0.05
"""At most this before the second try, twice as much before each one after it."""


class BoardSwitched(Exception):
    """The board shows another scoring config than the one that this work was done for."""


def retried(work: Callable[[], T]) -> T:
    """What `work` returns, run in one transaction; from the start again after a conflict.

    Conflicts are a deadlock, a row that another transaction wrote first, and a board that
    switched. `work` may read and compute before it writes; nothing of a failed try stays.
    """
    for number in range(TRIES - 1):
        try:
            with transaction.atomic():
                return work()
        except (BoardSwitched, IntegrityError, OperationalError):
            time.sleep(random.random() * PAUSE_SECONDS * 2**number)  # noqa: S311 - nothing secret
    with transaction.atomic():
        return work()


@contextmanager
def snapshot() -> Iterator[None]:
    """Within it this connection sees the database of one moment, while others write.

    Within a transaction that has begun, it sees what that one sees. Nothing can be written.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    else:
        # Django would take SQLite's write lock; a plain transaction reads the write-ahead log.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
