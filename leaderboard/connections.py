"""Watches connections to the database: logs slow statements, and notices the end of outages."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from leaderboard import outages
from leaderboard.rules.open_dicts import FrameworkDict

logger = logging.getLogger(__name__)

SHOWN = 500


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
            shown = " ".join(str(sql).split())[:SHOWN]
            logger.warning("slow query", extra={"ms": took, "sql": shown})


def _watch(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    outages.database.ended()
    if settings.SLOW_QUERY_MS and log_slow not in connection.execute_wrappers:
        connection.execute_wrappers.append(log_slow)


connection_created.connect(_watch, dispatch_uid="leaderboard.connections")
