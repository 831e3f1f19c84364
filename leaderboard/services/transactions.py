"""Transactions that are retried after a conflict, and read-only snapshots of the database."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from typing import TypeVar

from django.db import IntegrityError, OperationalError, connection, transaction

from leaderboard.operating.outages import waited_for_lock

T = TypeVar("T")

TRIES = 5
PAUSE_SECONDS = 0.05
"""The longest pause before the second try; it doubles before each later try."""


class BoardSwitched(Exception):
    """The board no longer shows the scoring config that this work was done for."""


def retried(work: Callable[[], T]) -> T:
    """Run `work` in a transaction and return its result; run it again after a conflict.

    Conflicts are a deadlock, a row that another transaction wrote first, and a board that
    switched. `work` may read and compute before it writes; a failed try is rolled back. A lock that
    was held too long is no conflict: another try would wait as long again.
    """
    for number in range(TRIES - 1):
        try:
            with transaction.atomic():
                return work()
        except (BoardSwitched, IntegrityError, OperationalError) as error:
            if waited_for_lock(error):
                raise
            sleep(random.random() * PAUSE_SECONDS * 2**number)  # noqa: S311 - nothing secret
    with transaction.atomic():
        return work()


@contextmanager
def rolled_back() -> Iterator[None]:
    """A transaction that keeps nothing, not even when its work succeeds."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def snapshot() -> Iterator[None]:
    """A read-only context that sees the database at one moment, while others write.

    Inside a transaction that has begun, it sees what that transaction sees.
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
