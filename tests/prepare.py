"""Prepare what all processes of `make test` need, while another process checks types.

`python -m tests.prepare`. Otherwise each process would compile all tests when it starts, and the
first ones of each database would wait until it is migrated.
"""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

from tests.databases import migrated_sqlite, migrated_template
from tests.marks import runs_on_each_database
from tests.processes import ROOT
from tests.servers import running_postgres

DATABASE_FILES = ROOT / ".pytest_cache" / "database-files"
"""Names the files with tests that run on PostgreSQL too."""


class DatabaseFiles:
    """A plugin that stores which files have tests for the second database."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        found = {item.path for item in session.items if runs_on_each_database(item)}
        names = sorted(str(path.relative_to(ROOT)) for path in found)
        DATABASE_FILES.parent.mkdir(exist_ok=True)
        DATABASE_FILES.write_text("".join(f"{name}\n" for name in names))
        draw_examples()


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
    DATABASE_FILES.unlink(missing_ok=True)
    return pytest.main(["--collect-only", "-qq", "--no-summary"], plugins=[DatabaseFiles()])


def database_files() -> list[Path]:
    """Return the files that `main` has found; none if a file of the tests has changed since."""
    if not DATABASE_FILES.exists():
        return []
    found_at = DATABASE_FILES.stat().st_mtime
    if any(path.stat().st_mtime > found_at for path in Path(ROOT, "tests").rglob("*.py")):
        return []
    return [ROOT / name for name in DATABASE_FILES.read_text().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
