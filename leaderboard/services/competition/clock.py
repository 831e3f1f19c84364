"""The time by the database's clock, which all servers share."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from leaderboard.models.clock import moment, now_sql
from leaderboard.models.prepared import rows_of


def received_now() -> datetime:
    """The time at which a request begins. Call it before the body is read."""
    ((now,),) = rows_of(_sql(now_sql()), [])
    return moment(now)


def iso(at: datetime) -> str:
    """A time in the form of the API: in UTC, `2026-11-20T08:00:00Z`."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


@cache
def _sql(now: str) -> str:
    return f"SELECT {now.replace('%%', '%')}"
