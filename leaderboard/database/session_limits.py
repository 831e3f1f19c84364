"""Limits of our sessions on PostgreSQL, so that no lock of another session holds them up for long.

lock_timeout: how long a statement waits for a lock. idle_in_transaction_session_timeout and tcp_…:
when the server ends a session of ours whose host has disappeared, which would keep its locks.
"""

from __future__ import annotations

from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

SECONDS_OF_WORKERS: Final = 2.0
"""A worker waits no longer for a lock: other boards wait for the worker meanwhile."""
LIMITS: Final = {
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": "20",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "20s",
}

_lock_seconds = 10.0


def wait_for_locks(seconds: float) -> None:
    """Let sessions that this process begins from now on wait so long for a lock."""
    global _lock_seconds
    _lock_seconds = seconds


def limit_session(connection: BaseDatabaseWrapper) -> None:
    """Set the limits of a session that has just begun, but those that DATABASE_URL sets."""
    stated = str(connection.settings_dict.get("OPTIONS", {}).get("options", ""))
    limits = {"lock_timeout": f"{_lock_seconds * 1000:.0f}ms", **LIMITS}
    values = [part for item in limits.items() if item[0] not in stated for part in item]
    calls = ", ".join(["set_config(%s, %s, false)"] * (len(values) // 2))
    if calls:
        connection.connection.execute(f"SELECT {calls}", values)


def wait_for_ever(connection: BaseDatabaseWrapper) -> None:
    """Let an open session wait for locks as long as it takes: a migration has to."""
    connection.ensure_connection()
    connection.connection.execute("SELECT set_config('lock_timeout', '0', false)")
