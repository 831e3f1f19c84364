"""Databases that are migrated once, and copied for each process of the tests."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import psycopg
from django.db import transaction

from tests.processes import MANAGE, ROOT
from tests.servers import postgres_program

TEMPLATE = "podium_template"
SHAPED_BY = (
    *("leaderboard/migrations", "leaderboard/models", "leaderboard/apps.py"),
    *("leaderboard/settings", "requirements.lock"),
)
"""What an empty database depends on, besides the versions of Django and Python: the product's own
tables, and those of the applications that the settings install."""


def migrated_sqlite() -> Path:
    """Return a file with all migrations and no rows, made by the first process that needs it.

    Its name changes with what an empty database depends on.
    """
    return _made_once("sqlite3", lambda draft: migrate_at_once(f"sqlite:///{draft}"))


def fill_migrated(url: str) -> None:
    """Give an empty PostgreSQL database all migrations and no rows.

    The first process that needs this migrates it and stores the dump beside the file of SQLite;
    each later database is made by the statements of that dump, which takes half a second.
    """

    def make(draft: Path) -> None:
        migrate_at_once(url)
        dump = ["--inserts", "--no-owner", "--no-privileges", "--file", str(draft), "--dbname", url]
        subprocess.run([postgres_program(url, "pg_dump"), *dump], check=True)

    statements = _made_once("sql", make).read_text()
    with psycopg.connect(url) as connection:
        [is_filled] = connection.execute("SELECT to_regclass('django_migrations')").fetchone() or ()
        if not is_filled:
            connection.execute(_without_meta_commands(statements))


def migrated_template(url: str) -> None:
    """Make the database `podium_template` on a PostgreSQL of the tests, with all migrations."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    fill_migrated(named(url, TEMPLATE))


@contextmanager
def copied_template(url: str, name: str) -> Iterator[str]:
    """Yield the URL of a copy of `podium_template`, which is dropped at the end."""
    with psycopg.connect(named(url, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        try:
            yield named(url, name)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def named(url: str, name: str) -> str:
    """Return the URL of another database of the same server."""
    head, mark, query = url.partition("?")
    return f"{head.rpartition('/')[0]}/{name}{mark}{query}"


@contextmanager
def rows_taken_back() -> Iterator[None]:
    """A transaction that ends with a rollback, around all tests that read the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _made_once(suffix: str, make: Callable[[Path], None]) -> Path:
    """Return a file in pytest's cache folder, made by the first process that needs it."""
    folder = ROOT / ".pytest_cache" / "databases"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{_shape()}.{suffix}"
    with (folder / f"lock-{suffix}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            draft = kept.with_suffix(f".{suffix}-draft")
            for old in (*folder.glob(f"*.{suffix}"), draft):
                old.unlink(missing_ok=True)
            make(draft)
            draft.rename(kept)
    return kept


def _without_meta_commands(dump: str) -> str:
    """Leave out what only psql understands, and the empty search path that a dump sets."""
    lines = dump.splitlines()
    psql_only = ("\\restrict", "\\unrestrict", "SELECT pg_catalog.set_config('search_path'")
    return "\n".join(line for line in lines if not line.startswith(psql_only))


def migrate_at_once(url: str) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL_TEST": url,
    }
    subprocess.run([*MANAGE, "migrate", "--verbosity", "0"], env=environment, check=True)


def _shape() -> str:
    digest = hashlib.sha256(f"{version('django')} {sys.version}".encode())
    for name in SHAPED_BY:
        path = ROOT / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:20]
