"""Whether an attempt waits that a batch must not delay.

For a batch of history, these are fresh attempts of any tenant, and an attempt that is the only one
of another tenant. For a batch of one participant's fresh attempts, these are fresh attempts of
another tenant, and one of another participant that comes first in the queue of the tenant.
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
_WAITS_FOR_TURN: Final = """
    SELECT 1 FROM waiting WHERE waiting.id IS NOT NULL AND (
        (waiting.id <> %s AND ({fresh}) IS NOT NULL)
        OR (waiting.id = %s AND ({of_participant}) <> %s)
    ) LIMIT 1
"""


def others_wait(tenant_id: int) -> bool:
    """Whether a fresh attempt waits, or another tenant has exactly one waiting attempt."""
    return bool(fetch(_statement(connections[DEFAULT_DB_ALIAS].vendor), [tenant_id]))


def has_turn(tenant_id: int, participant_id: int) -> bool:
    """Whether no fresh attempt of another tenant, or of a participant that is next, waits."""
    statement = _turn_statement(connections[DEFAULT_DB_ALIAS].vendor)
    return not fetch(statement, [tenant_id, tenant_id, participant_id])


@cache
def _statement(vendor: str) -> str:
    """The SQL; the index gives each query its order: see `TENANTS`.

    vendor: the database's, on which `now_sql` depends.
    """
    length, ready = LENGTHS["short"], CLAIMABLE.format(now=now_sql())
    fresh = _READY.format(length=length, ready=ready, more="AND priority = 0")
    first = _READY.format(length=length, ready=ready, more="")
    return TENANTS.format(length=length) + _WAITS.format(fresh=fresh, first=first)


@cache
def _turn_statement(vendor: str) -> str:
    length, ready = LENGTHS["short"], CLAIMABLE.format(now=now_sql())
    fresh = _READY.format(length=length, ready=ready, more="AND priority = 0")
    of_participant = fresh.replace("SELECT priority", "SELECT participant_id")
    waits = _WAITS_FOR_TURN.format(fresh=fresh, of_participant=of_participant)
    return TENANTS.format(length=length) + waits


class Others:
    """Asks `others_wait` between the attempts of a batch, at most every `SECONDS_PER_LOOK`.

    Returns True, from then on always, when the batch has to end. participant_id: of a batch of
    fresh attempts; None for history.
    """

    def __init__(self, tenant_id: int, participant_id: int | None = None) -> None:
        self._tenant = tenant_id
        self._participant = participant_id
        self._next = time.monotonic() + SECONDS_PER_LOOK
        self._wait = False

    def __call__(self) -> bool:
        if not self._wait and time.monotonic() >= self._next:
            self._wait = self._look()
            self._next = time.monotonic() + SECONDS_PER_LOOK
        return self._wait

    def _look(self) -> bool:
        if self._participant is None:
            return others_wait(self._tenant)
        return not has_turn(self._tenant, self._participant)
