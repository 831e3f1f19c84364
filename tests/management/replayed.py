"""Migrations of an empty database that are executed once, and then replayed."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import StateApps

from leaderboard.services.operations import restore
from tests.databases import migrated_sqlite

Targets = tuple[tuple[str, str], ...]
Executed = list[tuple[str, Any, bool, bool]]

_executed: dict[tuple[str, Targets], tuple[Executed, StateApps]] = {}
_migrate = restore._migrate


def replay_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `restore` repeat the statements of an earlier migration to the same targets.

    Migrations spend ten seconds on models of each moment, and nearly nothing on statements.
    """
    monkeypatch.setattr(restore, "_migrate", _migrate_or_replay)


def _migrate_or_replay(targets: Sequence[tuple[str, str]] | None) -> StateApps:
    if targets is None or MigrationRecorder(connection).has_table():
        return _migrate(targets)
    key = connection.vendor, tuple(targets)
    if key not in _executed and connection.vendor == "sqlite":
        loader = MigrationLoader(connection)
        if set(targets) == set(loader.graph.leaf_nodes()):
            _executed[key] = list(_statements_of_template()), loader.project_state(key[1]).apps
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


def _statements_of_template() -> Iterator[tuple[str, Any, bool, bool]]:
    """Make the tables of the database that all tests copy, with its list of migrations."""
    with closing(sqlite3.connect(migrated_sqlite())) as template:
        tables = template.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
        yield from [(sql, None, False, False) for (sql,) in tables]
        rows = template.execute("SELECT id, app, name, applied FROM django_migrations").fetchall()
    yield "INSERT INTO django_migrations VALUES (%s, %s, %s, %s)", rows, True, False


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
