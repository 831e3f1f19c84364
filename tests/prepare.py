"""Prepare what all processes of `make test` need, while another process checks types.

`python -m tests.prepare`. Otherwise each process would compile all tests when it starts, and the
first ones of each database would wait until it is migrated.
"""

import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

from tests.databases import migrated_sqlite, migrated_template
from tests.helpers.marks import is_in_make_test, runs_on_each_database
from tests.processes import ROOT
from tests.servers import running_postgres

FILES = ROOT / ".pytest_cache" / "postgres-files"
"""A folder with two lists of files: those with tests that `make test` runs on PostgreSQL, and those
with tests that `make test-all` runs there."""


class DatabaseFiles:
    """A plugin that stores which files have tests for the second database."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        FILES.mkdir(parents=True, exist_ok=True)
        store("test", [item for item in session.items if is_in_make_test(item, "postgresql")])
        store("test-all", [item for item in session.items if runs_on_each_database(item)])
        draw_examples()


def store(suite: str, items: list[pytest.Item]) -> None:
    names = sorted({str(item.path.relative_to(ROOT)) for item in items})
    (FILES / suite).write_text("".join(f"{name}\n" for name in names))


@settings(max_examples=100, deadline=None, database=None)
@given(strategies.lists(strategies.text() | strategies.integers()))
def draw_examples(drawn: list[str | int]) -> None:
    """Let Hypothesis store the tables of characters and the constants of our modules.

    It computes them before its first examples, which takes each process of the tests seconds.
    """


def main() -> int:
    migrated_sqlite()
    with running_postgres(durable=False) as url:
        migrated_template(url)
    shutil.rmtree(FILES, ignore_errors=True)
    return pytest.main(["--collect-only", "-qq", "--no-summary"], plugins=[DatabaseFiles()])


def database_files(suite: str) -> list[Path]:
    """Return the files that `main` has stored; none if a file of the tests has changed since."""
    names = FILES / suite
    if not names.exists():
        return []
    stored_at = names.stat().st_mtime
    if any(path.stat().st_mtime > stored_at for path in Path(ROOT, "tests").rglob("*.py")):
        return []
    return [ROOT / name for name in names.read_text().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
