"""An empty database gets the tables that migrations make one after the other."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.databases import migrate_at_once, migrated_sqlite, named
from tests.processes import ROOT
from tests.servers import postgres_program, running_postgres

pytestmark = [pytest.mark.once, pytest.mark.slow]
DJANGOS_OWN = """
import django
django.setup()
from django.core.management import call_command
from django.core.management.commands.migrate import Command
call_command(Command(), verbosity=0)
"""
"""The command that applies each migration."""

EQUIVALENT = "CONSTRAINT teams_merge_into_others"
"""Its column was mandatory when the check was made; either form accepts a null."""


def migrate_one_by_one(url: str) -> None:
    variables = {"DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL_TEST": url}
    command = [sys.executable, "-c", DJANGOS_OWN]
    subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=True)


def test_sqlite_gets_the_same_tables_at_once(tmp_path: Path) -> None:
    migrate_one_by_one(f"sqlite:///{tmp_path}/one-by-one.sqlite3")
    assert parts_of(migrated_sqlite()) == parts_of(tmp_path / "one-by-one.sqlite3")


def parts_of(path: Path) -> list[tuple[str, str, list[str]]]:
    """Tables and indexes with the lines of their statements, and the recorded migrations."""
    with closing(sqlite3.connect(path)) as database:
        parts = database.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master")
        migrations = database.execute("SELECT app, name FROM django_migrations")
        return sorted(
            [
                *((kind, name, columns_of(sql)) for kind, name, sql in parts),
                *((app, name, []) for app, name in migrations),
            ]
        )


def columns_of(sql: str) -> list[str]:
    """The columns in a statement, whose order differs where a table was made anew."""
    return sorted(sql.replace("(", ", ", 1).removesuffix(")").split(", "))


def test_postgresql_gets_the_same_tables_at_once() -> None:
    with running_postgres(durable=False) as url:
        urls = [named(url, name) for name in ("at_once", "one_by_one")]
        with psycopg.connect(url, autocommit=True) as connection:
            for name in ("at_once", "one_by_one"):
                connection.execute(f"CREATE DATABASE {name}")
        migrate_at_once(urls[0])
        migrate_one_by_one(urls[1])
        at_once, one_by_one = map(dumped, urls)
    assert at_once == one_by_one


def dumped(url: str) -> list[str]:
    """The lines that make the tables, without their order.

    A column that was renamed keeps the old name of its NOT NULL, which newer servers print.
    """
    command = [
        str(postgres_program(url, "pg_dump")),
        "--schema-only",
        "--no-owner",
        "--dbname",
        url,
    ]
    dump = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    plain = re.sub(r"CONSTRAINT \w+ NOT NULL", "NOT NULL", dump)
    lines = (line.strip().rstrip(",") for line in plain.splitlines())
    return sorted(line for line in lines if not line.startswith(("\\", "--", EQUIVALENT)))
