"""SQL conditions for attempts that wait or are being scored, written to match their index."""

from __future__ import annotations

from typing import Final, Literal

from leaderboard.services.scoring.claims import MAX_DELIVERIES

Length = Literal["short", "long", "program"]
"""Long: attempts with instances, which may take minutes. Program: those whose file a program reads,
which may take half an hour and cannot be interrupted. Short: all others."""

_UNFINISHED = "status IN ('queued', 'scoring') AND"
LENGTHS: Final[dict[Length, str]] = {
    "short": f"{_UNFINISHED} instance_count IS NULL AND NOT runs_program",
    "long": f"{_UNFINISHED} instance_count IS NOT NULL",
    "program": f"{_UNFINISHED} runs_program",
}
READY = f"(status = 'queued' OR lease_until < {{now}}) AND deliveries < {MAX_DELIVERIES}"
NOT_BLOCKED = (
    "challenge_id NOT IN (SELECT challenge_id FROM leaderboard_blockedboard WHERE until > {now})"
)
CLAIMABLE = f"{READY} AND {NOT_BLOCKED}"
"""Ready, and its result can be saved as far as is known."""

TENANTS = """
WITH RECURSIVE waiting(id) AS (
    SELECT * FROM (
        SELECT tenant_id FROM leaderboard_attempt WHERE {length} ORDER BY tenant_id LIMIT 1
    ) AS first
    UNION ALL
    SELECT (
        SELECT tenant_id FROM leaderboard_attempt
        WHERE {length} AND tenant_id > waiting.id ORDER BY tenant_id LIMIT 1
    ) FROM waiting WHERE waiting.id IS NOT NULL
)
"""
"""Finds the tenants with attempts of a length, with one index lookup for each tenant. Each subquery
is ordered like the index; otherwise PostgreSQL may read the whole table."""
