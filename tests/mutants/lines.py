"""What `contexts.py` has measured: the tests that execute a line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData

DATABASES = ("sqlite", "postgresql")


class MeasuredTest(NamedTuple):
    database: str
    seconds: float
    node: str


class Lines:
    def __init__(self, folder: Path) -> None:
        files = [str(path) for path in folder.glob("lines.*")]
        self.data = CoverageData(no_disk=True)
        for file in files:
            part = CoverageData(file)
            part.read()
            self.data.update(part)
        self.tests = {
            f"{test.database} {test.node}": test
            for path in folder.glob("passed-*")
            for test in map(_parsed, path.read_text().splitlines())
        }
        self.contexts: dict[str, dict[int, list[str]]] = {}

    def tests_of(self, path: Path, line: int) -> list[MeasuredTest]:
        """The tests that passed and that execute a line of a file."""
        if str(path) not in self.contexts:
            self.contexts[str(path)] = self.data.contexts_by_lineno(str(path))
        names = self.contexts[str(path)].get(line, [])
        return [self.tests[name] for name in names if name in self.tests]


def _parsed(line: str) -> MeasuredTest:
    database, seconds, node = line.split(" ", 2)
    return MeasuredTest(database, float(seconds), node)
