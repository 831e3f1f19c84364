"""Errors of scoring that come from an outage and not from the work: they are logged once."""

from __future__ import annotations

from leaderboard.operating import outages
from leaderboard.sandbox import SandboxError


def begins_outage(error: Exception) -> bool:
    """Whether the error comes from an unavailable database, a lock that another session holds, a
    full disk, or a sandbox that cannot work here.

    Logs the first error of an outage.
    """
    if isinstance(error, SandboxError):
        outages.sandbox.began(error)
        return True
    if outages.disk_is_full(error):
        outages.disk.began(error)
        return True
    if outages.database_is_away(error):
        outages.database.began(error)
        return True
    if outages.waited_for_lock(error):
        outages.saving.began(error)
        return True
    return False
