"""`manage.py up` as a separate process."""

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.databases import migrated_sqlite
from tests.helpers.forked import command_output, started_by_fork
from tests.processes import MANAGE, Process, Site, eventually, running, started

QUICK = {
    "THROTTLE_SUBMIT": "off",
    "THROTTLE_READ": "off",
    "THROTTLE_BULK": "off",
    "THROTTLE_PAGES": "off",
    "SWEEP_SECONDS": "0.5",
    "LOG_LEVEL": "warning",
}


class Embedded:
    """One installation: a data folder in which the server may be started several times."""

    def __init__(self, folder: Path, *, empty: bool = False, **variables: str) -> None:
        """An `empty` one has no database yet: the server makes it when it starts.

        Its server starts as `make up` starts it; those of others are forked, which takes half the
        time.
        """
        self.folder = folder
        self._start = started if empty else started_by_fork
        if not empty:
            (folder / "var").mkdir(mode=0o700)
            shutil.copyfile(migrated_sqlite(), folder / "var" / "db.sqlite3")
        self.environment = {
            "PATH": os.environ["PATH"],
            "DATA_DIR": str(folder / "var"),
            **QUICK,
            **variables,
        }
        self.output = folder / "output"
        self.errors = folder / "errors"

    @contextmanager
    def up(self, *options: str, port: int = 0) -> Iterator[tuple[Process, Site]]:
        """Run the server; yield it once it reports that it is ready, with a site without a
        token."""
        command = [*MANAGE, "up", "--port", str(port), *options]
        self.output.write_bytes(b"")
        with running(
            command, self.environment, self.output, errors=self.errors, start=self._start
        ) as process:

            def ready() -> Any:
                assert process.poll() is None, self.errors.read_text()
                return re.match(r"ready http://127\.0\.0\.1:(\d+)\n", self.output.read_text())

            yield process, Site(int(eventually(ready)[1]))

    def manage(self, *words: str) -> str:
        return command_output(words, self.environment)

    def organiser(self, site: Site) -> Site:
        """Return the site with the token of an organiser."""
        scopes = ["--scope", "submit", "--scope", "organise", "--tenant", "default"]
        return Site(site.port, self.manage("create_token", "olivia", "--create", *scopes).strip())

    def expire(self, table: str) -> None:
        """Let leases end, as if the time of a killed worker had run out."""
        past = "SET lease_until = '2000-01-01 00:00:00' WHERE lease_token IS NOT NULL"
        self.rows(f"UPDATE leaderboard_{table} {past}")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, and commit its changes."""
        file = self.folder / "var" / "db.sqlite3"
        with closing(sqlite3.connect(file, timeout=20)) as database, database:
            return database.execute(query, values).fetchall()
