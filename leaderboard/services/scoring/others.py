"""Whether an attempt waits that a batch of history must not delay.

These are fresh attempts of any tenant, and an attempt that is the only one of another tenant.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections

from leaderboard.models.clock import now_sql
from leaderboard.models.prepared import fetch
from leaderboard.services.scoring.unfinished import CLAIMABLE, LENGTHS, TENANTS

SECONDS_PER_LOOK = 0.01
"""The shortest time between two queries for waiting attempts."""

_READY: Final = """
    SELECT priority FROM leaderboard_attempt
    WHERE {length} AND tenant_id = waiting.id AND {ready} {more}
    ORDER BY priority, due_at LIMIT 1
"""
_WAITS: Final = """
    SELECT 1 FROM waiting WHERE waiting.id IS NOT NULL AND (
        ({fresh}) IS NOT NULL
        OR (waiting.id <> %s AND ({first}) IS NOT NULL AND ({first} OFFSET 1) IS NULL)
    ) LIMIT 1
"""


def others_wait(tenant_id: int) -> bool:
    """Whether a fresh attempt waits, or another tenant has exactly one waiting attempt."""
    return bool(fetch(_statement(connections[DEFAULT_DB_ALIAS].vendor), [tenant_id]))


@cache
def _statement(vendor: str) -> str:
    """The SQL; the index gives each query its order: see `TENANTS`.

    vendor: the database's, on which `now_sql` depends.
    """
    length, ready = LENGTHS["short"], CLAIMABLE.format(now=now_sql())
    fresh = _READY.format(length=length, ready=ready, more="AND priority = 0")
    first = _READY.format(length=length, ready=ready, more="")
    return TENANTS.format(length=length) + _WAITS.format(fresh=fresh, first=first)


class Others:
    """Asks `others_wait` between the attempts of a batch, at most every `SECONDS_PER_LOOK`.

    Returns True, from then on always, when the batch has to end.
    """

    def __init__(self, tenant_id: int) -> None:
        self._tenant = tenant_id
        self._next = time.monotonic() + SECONDS_PER_LOOK
        self._wait = False

    def __call__(self) -> bool:
        if not self._wait and time.monotonic() >= self._next:
            self._wait = others_wait(self._tenant)
            self._next = time.monotonic() + SECONDS_PER_LOOK
        return self._wait
