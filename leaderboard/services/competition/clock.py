"""The time by the database's clock, which all servers share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from time import monotonic

from leaderboard.models.clock import moment, now_sql
from leaderboard.models.prepared import rows_of


def time_of(moment: float) -> datetime:
    """The time of a moment of the monotonic clock, such as `arrivals.moment_of` a request."""
    now = received_now()
    return now - timedelta(seconds=max(0.0, monotonic() - moment))


def received_now() -> datetime:
    """The time now."""
    ((now,),) = rows_of(_sql(now_sql()), [])
    return moment(now)


def iso(at: datetime) -> str:
    """A time in the form of the API: in UTC, `2026-11-20T08:00:00Z`."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


@cache
def _sql(now: str) -> str:
    return f"SELECT {now.replace('%%', '%')}"
