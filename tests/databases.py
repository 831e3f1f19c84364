"""Databases that are migrated once, and copied for each process of the tests."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import psycopg
from django.db import transaction

from tests.processes import MANAGE, ROOT

TEMPLATE = "podium_template"
SHAPED_BY = (
    *("leaderboard/migrations", "leaderboard/models", "leaderboard/apps.py"),
    *("leaderboard/settings", "requirements.lock"),
)
"""What an empty database depends on, besides the versions of Django and Python: the product's own
tables, and those of the applications that the settings install."""


def migrated_sqlite() -> Path:
    """Return a file with all migrations and no rows, made by the first process that needs it.

    It is in pytest's cache folder under a name that changes with what an empty database depends on.
    """
    folder = ROOT / ".pytest_cache" / "databases"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{_shape()}.sqlite3"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            draft = kept.with_suffix(".draft")
            for old in (*folder.glob("*.sqlite3"), draft):
                old.unlink(missing_ok=True)
            _migrate(f"sqlite:///{draft}")
            draft.rename(kept)
    return kept


def migrated_template(url: str) -> None:
    """Make the database `podium_template` on a PostgreSQL of the tests, with all migrations."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    _migrate(named(url, TEMPLATE))


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


def _migrate(url: str) -> None:
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
