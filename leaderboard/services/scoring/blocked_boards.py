"""Boards to which nothing can be written at present, so that workers leave their attempts aside.

Another session of the database may hold the row of a challenge for hours, or each save may fail.
Workers would soon all wait for this board.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.models.functions import Now

from leaderboard.models import BlockedBoard
from leaderboard.models.blocked_board import LockHolder
from leaderboard.operating.outages import code_of

BLOCKED_FOR: Final = timedelta(seconds=20)
"""How long a board is left aside. A worker that keeps a result tries again meanwhile."""
FORGOTTEN_AFTER: Final = timedelta(minutes=10)
LOOKED_AFTER: Final = 0.8
"""The seconds of waiting for a lock after which another session asks who holds it."""

_HOLDERS: Final = """
    SELECT pid, usename, application_name, host(client_addr), state, xact_start
    FROM pg_stat_activity
    WHERE pid = ANY(pg_blocking_pids(%s)) AND cardinality(pg_blocking_pids(pid)) = 0
"""


def block(challenge_id: UUID, error: BaseException, holders: list[LockHolder]) -> None:
    """Leave a board aside for a while. holders: what is known of the sessions that lock it."""
    changes = {"until": Now() + BLOCKED_FOR, "code": code_of(error)[:40]}
    if holders:
        changes["holders"] = holders
    if not BlockedBoard.objects.filter(pk=challenge_id).update(**changes):
        BlockedBoard.objects.update_or_create(pk=challenge_id, defaults=changes)


def unblock(challenge_id: UUID) -> None:
    BlockedBoard.objects.filter(pk=challenge_id).delete()


def sweep_blocked_boards() -> None:
    """Forget the boards that workers have claimed attempts of for a while."""
    BlockedBoard.objects.ended(FORGOTTEN_AFTER).delete()


@contextmanager
def looking_for_holders() -> Iterator[list[LockHolder]]:
    """Yield a list that contains, at the end, the sessions that held what this one waited for."""
    holders: list[LockHolder] = []
    if connection.vendor != "postgresql":
        yield holders
        return
    connection.ensure_connection()
    own = connection.connection.info.backend_pid
    look = threading.Timer(LOOKED_AFTER, _look, [own, holders])
    look.daemon = True
    look.start()
    try:
        yield holders
    finally:
        look.cancel()
        look.join()


def _look(pid: int, holders: list[LockHolder]) -> None:
    """Runs in a thread, and so over a connection of its own."""
    other = connections[DEFAULT_DB_ALIAS]
    try:
        with other.cursor() as cursor:
            cursor.execute(_HOLDERS, [pid])
            holders += [_holder(*row) for row in cursor.fetchall()]
    except Error:
        pass  # it is only for the page of the operator
    finally:
        other.close()


def _holder(
    pid: int, user: str, application: str, client: str, state: str, since: datetime | None
) -> LockHolder:
    return {
        "pid": pid,
        "user": user or "",
        "application": application or "",
        "client": client or "",
        "state": state or "",
        "since": since.isoformat() if since else None,
    }
