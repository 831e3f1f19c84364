"""The squashed migration makes the same tables as the migrations that it replaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

SQUASHED = ("leaderboard", "0001_squashed_0052_movements")
LAST = ("leaderboard", "0052_movements")
OF_POSTGRES = {
    "columns": """
        SELECT table_name, column_name, data_type, is_nullable, column_default,
               character_maximum_length, is_identity
        FROM information_schema.columns WHERE table_schema = current_schema()""",
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
        AND contype <> 'n'  -- Since PostgreSQL 18 NOT NULL has a name, of the former column.""",
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    "storage": """
        SELECT relname, reloptions FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND reloptions IS NOT NULL""",
}
HASH = re.compile(r"_[0-9a-f]{8}(?=_|\b)")
RENAMED = {
    "leaderboard_phaseevent": "leaderboard_auditentry",
    "leaderboard_phaseeve_": "leaderboard_auditent_",
    "sortedcolumn_config_id": "sortedcolumn_board_id",
}
"""Parts of names of indexes and constraints that keep the former name of a table or column."""

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def emptied() -> Iterator[None]:
    """A database without tables, which gets the newest ones back at the end."""
    _empty()
    yield
    _empty()
    _migrate(replace=True)


@pytest.mark.usefixtures("emptied")
def test_both_ways_lead_to_the_same_tables() -> None:
    _migrate(replace=False, to=LAST)
    step_by_step = _schema()
    _empty()
    _migrate(replace=True, to=SQUASHED)
    assert _schema() == step_by_step


def test_every_migration_but_the_new_ones_is_replaced() -> None:
    loader = MigrationLoader(None, replace_migrations=False)
    replaced = set(loader.disk_migrations[SQUASHED].replaces)
    assert replaced == {
        key for key in loader.disk_migrations if key[0] == "leaderboard" and key <= LAST
    } - {SQUASHED}


def _migrate(*, replace: bool, to: tuple[str, str] | None = None) -> None:
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=replace)
    executor.migrate([to] if to else executor.loader.graph.leaf_nodes())


def _empty() -> None:
    cascade = " CASCADE" if connection.vendor == "postgresql" else ""
    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)}{cascade}")


def _schema() -> dict[str, list[str]]:
    """Tables, columns, constraints, indexes and storage parameters, in an order of their own."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return {name: _parts(sql) for name, sql in cursor.fetchall() if _is_ours(name)}
        found = {}
        for name, sql in OF_POSTGRES.items():
            cursor.execute(sql)
            found[name] = sorted(_as_named_now(str(row)) for row in cursor.fetchall())
        return found


def _as_named_now(row: str) -> str:
    row = HASH.sub("", row)
    for former, name in RENAMED.items():
        row = row.replace(former, name)
    return row


def _parts(sql: str) -> list[str]:
    """The pieces of a statement's columns and constraints, in any order."""
    return sorted(part.strip() for part in re.split(r"[(),]", HASH.sub("", sql)))


def _is_ours(name: str) -> bool:
    return name.startswith(("leaderboard_", "standings_", "attempts_", "values_"))
