"""`manage.py up` as a process of its own."""

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.processes import MANAGE, Process, Site, eventually, once, running

QUICK = {
    "THROTTLE_SUBMIT": "off",
    "THROTTLE_READ": "off",
    "THROTTLE_BULK": "off",
    "THROTTLE_PAGES": "off",
    "SWEEP_SECONDS": "0.5",
    "LOG_LEVEL": "warning",
}


class Embedded:
    """One installation: a folder of data, in which the server may be started again and again."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
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
        """The server once it says that it is ready, and a site without a token."""
        command = [*MANAGE, "up", "--port", str(port), *options]
        self.output.write_bytes(b"")
        with running(command, self.environment, self.output, errors=self.errors) as process:

            def ready() -> Any:
                assert process.poll() is None, self.errors.read_text()
                return re.match(r"ready http://127\.0\.0\.1:(\d+)\n", self.output.read_text())

            yield process, Site(int(eventually(ready)[1]))

    def manage(self, *words: str) -> str:
        return once([*MANAGE, *words], self.environment)

    def organiser(self, site: Site) -> Site:
        """The site for somebody who may do everything."""
        scopes = ["--scope", "submit", "--scope", "organise", "--tenant", "default"]
        return Site(site.port, self.manage("create_token", "olivia", *scopes).strip())

    def expire(self, table: str) -> None:
        """As if the time had passed in which a killed worker might have come back."""
        past = "SET lease_until = '2000-01-01 00:00:00' WHERE lease_token IS NOT NULL"
        self.rows(f"UPDATE leaderboard_{table} {past}")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a statement finds; what it changes is saved."""
        file = self.folder / "var" / "db.sqlite3"
        with closing(sqlite3.connect(file, timeout=20)) as database, database:
            return database.execute(query, values).fetchall()
