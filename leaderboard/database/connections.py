"""Watches connections to the database: limits sessions, logs slow statements, and notices the end
of outages.

A connection that took no write is closed before the next request or task, and one whose server
hangs at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate, pre_migrate

from leaderboard.database.session_limits import limit_session, wait_for_ever
from leaderboard.database.silent_database import give_up_silent
from leaderboard.operating import outages
from leaderboard.rules.json.untyped_dicts import FrameworkDict

logger = logging.getLogger(__name__)

SHOWN = 500
TAKES_THE_LOCK = ("BEGIN IMMEDIATE", "INSERT", "UPDATE", "DELETE")
"""The beginnings of statements that SQLite runs only while no other program has locked its file."""


def log_slow(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: FrameworkDict
) -> Any:
    """Run a statement, and log it without its parameters if it took SLOW_QUERY_MS or longer."""
    started = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        took = round((time.perf_counter() - started) * 1000)
        if took >= settings.SLOW_QUERY_MS:
            statement = " ".join(str(sql).split())[:SHOWN]
            logger.warning("slow query", extra={"ms": took, "sql": statement})


def end_outage(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: FrameworkDict
) -> Any:
    """Run a statement, and note the end of an outage if the statement needed SQLite's lock."""
    result = execute(sql, params, many, context)
    if outages.database.goes_on and sql.startswith(TAKES_THE_LOCK):
        outages.database.ended()
    return result


def close_read_only(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: FrameworkDict
) -> Any:
    """Run a statement. If it says that the database is read-only, let its connection end soon.

    SQLite opens a file that it may not write to, and then never writes by this connection. A
    connection to PostgreSQL may lead to a server that another one has replaced.
    """
    try:
        return execute(sql, params, many, context)
    except DatabaseError as error:
        if outages.takes_no_writes(error):
            context["connection"].close_at = 0.0
        raise


def _watch(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    if connection.vendor != "sqlite":
        outages.database.ended()
        if connection.connection is not None:
            give_up_silent(connection)
            limit_session(connection)
    elif end_outage not in connection.execute_wrappers:  # a locked file can be opened
        connection.execute_wrappers.append(end_outage)
    if close_read_only not in connection.execute_wrappers:
        connection.execute_wrappers.append(close_read_only)
    if settings.SLOW_QUERY_MS and log_slow not in connection.execute_wrappers:
        connection.execute_wrappers.append(log_slow)


def _migrates(sender: AppConfig, using: str, **kwargs: Any) -> None:
    if sender.name == "leaderboard" and connections[using].vendor == "postgresql":
        wait_for_ever(connections[using])


def _has_migrated(sender: AppConfig, using: str, **kwargs: Any) -> None:
    if sender.name == "leaderboard" and connections[using].vendor == "postgresql":
        connections[using].ensure_connection()
        limit_session(connections[using])


connection_created.connect(_watch, dispatch_uid="leaderboard.database.connections")
pre_migrate.connect(_migrates, dispatch_uid="leaderboard.database.connections")
post_migrate.connect(_has_migrated, dispatch_uid="leaderboard.database.connections")
