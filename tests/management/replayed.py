"""Migrations of an empty database that are executed once, and then replayed."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import StateApps

from leaderboard.services.operations import restore

Targets = tuple[tuple[str, str], ...]
Executed = list[tuple[str, Any, bool, bool]]

_executed: dict[tuple[str, Targets], tuple[Executed, StateApps]] = {}
_migrate = restore._migrate


def replay_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `restore` repeat the statements of an earlier migration to the same targets.

    Migrations spend two seconds on models of each moment, and nearly nothing on statements.
    """
    monkeypatch.setattr(restore, "_migrate", _migrate_or_replay)


def _migrate_or_replay(targets: Sequence[tuple[str, str]] | None) -> StateApps:
    if targets is None or MigrationRecorder(connection).has_table():
        return _migrate(targets)
    key = connection.vendor, tuple(targets)
    if key not in _executed:
        statements: Executed = []
        with connection.execute_wrapper(_recorder(statements)):
            _executed[key] = statements, _migrate(targets)
        return _executed[key][1]
    statements, apps = _executed[key]
    with connection.cursor() as cursor:
        for sql, parameters, many, failed in statements:
            # a PostgreSQL may lack an extension, which a migration finds out by an error
            with suppress(DatabaseError) if failed else nullcontext():
                (cursor.executemany if many else cursor.execute)(sql, parameters)
    return apps


def _recorder(statements: Executed) -> Callable[..., Any]:
    def record(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        failed = True
        try:
            answer = execute(sql, params, many, context)
            failed = False
        finally:
            statements.append((sql, params, many, failed))
        return answer

    return record
