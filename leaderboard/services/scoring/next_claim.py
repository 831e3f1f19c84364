"""Claim the next attempt: tenants take turns, and so do participants within a tenant.

The tenant that was served longest ago comes first. Within a tenant fresh attempts come before
history, then the smallest `due_at`, which `services.attempts.waiting` assigns so that participants
take turns. An attempt whose worker was lost keeps its place, so it comes before later attempts.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple
from uuid import UUID, uuid4

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.utils import timezone

from leaderboard.models import Attempt
from leaderboard.models.clock import now_sql
from leaderboard.models.prepared import changed, fetch
from leaderboard.services.scoring.batch_claims import claim_batch
from leaderboard.services.scoring.claims import (
    LEASE_OF_ATTEMPT,
    LEASE_PARAMETERS,
    Claim,
    claim,
    read_claimed,
)
from leaderboard.services.scoring.others import others_wait
from leaderboard.services.scoring.unfinished import CLAIMABLE, LENGTHS, TENANTS, Length

_FIRST = """
    SELECT {columns} FROM leaderboard_attempt
    WHERE {length} AND tenant_id = tenant.id AND {ready}
    ORDER BY priority, due_at LIMIT 1
"""
_COLUMNS: Final = {"postgresql": "id, priority", "sqlite": "id"}
_BY_TURN: Final = """
    SELECT tenant.id FROM waiting JOIN leaderboard_tenant tenant ON tenant.id = waiting.id
    ORDER BY tenant.served_at NULLS FIRST, tenant.id
"""
_SERVED_LONG_AGO: Final = """
    SELECT id FROM leaderboard_tenant ORDER BY served_at NULLS FIRST, id LIMIT 20
"""
"""If many tenants wait, the next one is nearly always among these 20, so the search need not find
all waiting tenants. A waiting tenant found here was served longest ago among all that wait."""

_OF_FIRST: Final = """SELECT * FROM (
    SELECT attempt.id, tenant.id, attempt.priority FROM ({by_turn}) AS tenant
    CROSS JOIN LATERAL ({{first}} FOR UPDATE SKIP LOCKED) AS attempt LIMIT 1
) AS {name}"""
_SEARCHES: Final = {
    "postgresql": "{} UNION ALL {} LIMIT 1".format(
        _OF_FIRST.format(by_turn=_SERVED_LONG_AGO, name="soon"),
        _OF_FIRST.format(by_turn=_BY_TURN, name="others"),
    ),
    "sqlite": """
        SELECT attempt, tenant, (SELECT priority FROM leaderboard_attempt WHERE id = attempt)
        FROM (
            SELECT tenant.id AS tenant, ({first}) AS attempt FROM ({by_turn}) AS tenant
        ) WHERE attempt IS NOT NULL LIMIT 1
    """,
}


_IS_BULK: Final = """COALESCE((
    SELECT participant_id FROM leaderboard_attempt
    WHERE {length} AND tenant_id = next.tenant AND {ready} AND id <> next.attempt
    ORDER BY priority, due_at LIMIT 1
) = (SELECT participant_id FROM leaderboard_attempt WHERE id = next.attempt), FALSE)"""
"""Whether the attempt behind the next one is of the same participant."""

_CLAIM: Final = """{tenants}, next (attempt, tenant, priority) AS ({search}), claimed AS (
    UPDATE leaderboard_attempt SET
        status = 'scoring', lease_token = %s, deliveries = deliveries + 1,
        lease_until = {now} + {lease},
        due_at = CASE WHEN instance_count IS NULL THEN due_at ELSE LEAST(due_at, {now}) END
    WHERE id = (
        SELECT attempt FROM next WHERE NOT %s OR (priority <> {history} AND NOT {is_bulk})
    ) AND {ready}
    RETURNING tenant_id
), served AS (
    UPDATE leaderboard_tenant SET served_at = {now} WHERE id IN (
        SELECT id FROM leaderboard_tenant WHERE id IN (SELECT tenant_id FROM claimed)
        FOR NO KEY UPDATE SKIP LOCKED
    )
)
SELECT attempt, EXISTS (SELECT 1 FROM claimed) FROM next"""
"""Finds the next attempt on PostgreSQL, and claims it unless it may begin a batch.

If the connection breaks before the answer arrives, no worker knows of the claim, and it expires."""


def claim_next(length: Length, *, batches: bool = False) -> Claim | None:
    """Claim the next attempt among the short or the long ones; None when none waits.

    batches: return history, or a participant's bulk, as a `BatchClaim` if several attempts can be
    scored together and no attempt waits that a batch must not delay.
    """
    if _is_sqlite():
        # On SQLite a transaction makes other workers wait, and a read does not.
        return None if find_next(length) is None else _claim_in_steps(length, batches)
    token = uuid4()
    may_batch = batches and length == "short"
    rows = fetch(_claim_statement(length), [token, *LEASE_PARAMETERS, may_batch])
    if not rows:
        return None
    ((attempt, claimed),) = rows
    return Claim(read_claimed(attempt), token) if claimed else _claim_in_steps(length, batches)


def _claim_in_steps(length: Length, batches: bool) -> Claim | None:
    """Claim the next attempt, or a batch that begins with it."""
    with transaction.atomic():
        next_attempt = find_next(length)
        if next_attempt is None:
            return None
        claimed = _batch(next_attempt) if batches and length == "short" else None
        claimed = claimed or claim(next_attempt.attempt)
        _served(next_attempt.tenant)
    return claimed


class NextAttempt(NamedTuple):
    """What a search for the next attempt finds."""

    attempt: UUID
    tenant: int
    priority: int


def find_next(length: Length) -> NextAttempt | None:
    """The next attempt. On PostgreSQL it is locked until the transaction ends."""
    rows = fetch(next_statement(length), [])
    if not rows:
        return None
    attempt, tenant, priority = rows[0]
    return NextAttempt(attempt if isinstance(attempt, UUID) else UUID(attempt), tenant, priority)


def next_statement(length: Length) -> str:
    """The statement that finds the next attempt, its tenant and its priority."""
    return _statement(connections[DEFAULT_DB_ALIAS].vendor, length)


@cache
def _statement(vendor: str, length: Length) -> str:
    return f"{TENANTS.format(length=LENGTHS[length])} {_search(vendor, length)}"


def _search(vendor: str, length: Length) -> str:
    ready = CLAIMABLE.format(now=now_sql())
    return _SEARCHES[vendor].format(
        first=_FIRST.format(columns=_COLUMNS[vendor], length=LENGTHS[length], ready=ready),
        by_turn=_BY_TURN,
    )


@cache
def _claim_statement(length: Length) -> str:
    return _CLAIM.format(
        tenants=TENANTS.format(length=LENGTHS[length]).rstrip(),
        search=_search("postgresql", length),
        now=now_sql(),
        lease=LEASE_OF_ATTEMPT,
        history=int(Attempt.Priority.HISTORY),
        is_bulk=_IS_BULK.format(length=LENGTHS[length], ready=CLAIMABLE.format(now=now_sql())),
        ready=CLAIMABLE.format(now=now_sql()),
    )


def _batch(next_attempt: NextAttempt) -> Claim | None:
    """Claim a batch that begins with an attempt, if no other attempt must come first."""
    if next_attempt.priority == Attempt.Priority.HISTORY and others_wait(next_attempt.tenant):
        return None
    return claim_batch(next_attempt.attempt, next_attempt.tenant)


def _served(tenant_id: int) -> None:
    """Record that a tenant was served now, unless another session has locked its row.

    This is the last statement of a claim, so that the tenant's row is locked only briefly.
    """
    free = "%s"
    now, given = now_sql(), []
    if _is_sqlite():  # SQLite's clock has milliseconds; a tenant could be served twice in one.
        adapted = connections[DEFAULT_DB_ALIAS].ops.adapt_datetimefield_value(timezone.now())
        now, given = "%s", [adapted]
    else:
        free = "(SELECT id FROM leaderboard_tenant WHERE id = %s FOR NO KEY UPDATE SKIP LOCKED)"
    statement = f"UPDATE leaderboard_tenant SET served_at = {now} WHERE id = {free}"  # noqa: S608 - ours
    changed(statement, [*given, tenant_id])


def _is_sqlite() -> bool:
    return connections[DEFAULT_DB_ALIAS].vendor == "sqlite"
