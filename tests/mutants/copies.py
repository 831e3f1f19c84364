"""A copy of the checkout in which mutants are planted, one after the other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.databases import named
from tests.mutants.lines import MeasuredTest
from tests.mutants.mutations import Mutant
from tests.processes import ROOT

PATIENCE = 10
"""A mutant that makes tests so many times slower counts as found, like one that never ends."""


@contextmanager
def copied_checkout(name: str) -> Iterator[Copy]:
    with tempfile.TemporaryDirectory(prefix="podium-mutants-") as folder:
        root = Path(folder, "podium")
        root.mkdir()
        root.parent.chmod(0o755)
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        )
        for path in listed.stdout.decode().split("\0"):
            if path and (ROOT / path).is_file():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, root / path)
        databases = ROOT / ".pytest_cache" / "databases"
        shutil.copytree(databases, root / ".pytest_cache" / "databases")
        yield Copy(name, root)


class Copy:
    def __init__(self, name: str, root: Path) -> None:
        self.name = name
        self.root = root
        self.planted = 0

    @contextmanager
    def planted_mutant(self, mutant: Mutant) -> Iterator[None]:
        path = self.root / mutant.path
        original, stat = path.read_bytes(), path.stat()
        self.planted += 1
        path.write_bytes(mutant.source(original))
        # Compiled files are told apart by their sources' seconds and sizes.
        os.utime(path, (stat.st_atime, stat.st_mtime + self.planted))
        try:
            yield
        finally:
            path.write_bytes(original)
            os.utime(path, (stat.st_atime, stat.st_mtime))

    def is_found_by(self, tests: Sequence[MeasuredTest], variables: dict[str, str]) -> bool:
        """Whether one of the tests fails, or they take far too long.

        On PostgreSQL each copy has a database of its own.
        """
        if not tests:
            return False
        names = self.root / "names-of-tests"
        names.write_text("".join(f"{test.node}\n" for test in _quickest_first(tests)))
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        if url := variables["DATABASE_URL_TEST"]:
            variables = variables | {"DATABASE_URL_TEST": named(url, self.name)}
        seconds = 120 + PATIENCE * sum(test.seconds for test in tests)
        try:
            ran = subprocess.run(
                [*command, f"@{names}"],
                cwd=self.root,
                env=os.environ | {"CI": "true"} | variables,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return True
        return ran.returncode != 0


def _quickest_first(tests: Sequence[MeasuredTest]) -> list[MeasuredTest]:
    """The tests file by file, those files first whose tests take the least time."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for test in tests:
        seconds[_file(test)] += test.seconds
    return sorted(tests, key=lambda test: (seconds[_file(test)], _file(test)))


def _file(test: MeasuredTest) -> str:
    return test.node.partition("::")[0]
