"""Which planted faults do the tests find? docs/testing.md says how to read the answer.

`python -m tests.mutants measure` runs all tests once, with coverage, and stores which tests execute
which lines. `python -m tests.mutants run [--count 120] [--seed 1]` plants one fault at a time in a
copy of the checkout and runs the tests that execute its line: first those of `make test`, then,
if none of these fails, those that only `make test-all` runs.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from typing import NamedTuple

from tests.databases import TEMPLATE, migrated_sqlite, migrated_template
from tests.helpers.marks import SUITES
from tests.mutants.copies import Copy, copied_checkout
from tests.mutants.lines import DATABASES, Lines, MeasuredTest
from tests.mutants.mutations import Mutant, mutants
from tests.processes import ROOT
from tests.run import ON_SQLITE
from tests.servers import running_postgres

STORE = ROOT / ".pytest_cache" / "contexts"
FOLDERS = (
    *("leaderboard/rules", "leaderboard/services/board", "leaderboard/services/competition"),
    *("leaderboard/services/scoring", "leaderboard/api", "leaderboard/importers"),
)

IN_THIS_PROCESS = "not embedded and not faults and not (redis and slow)"
"""Tests that only talk to other processes execute no line here."""

Variables = Mapping[str, dict[str, str]]
"""What the environment needs for each database."""


class Verdict(NamedTuple):
    """found_by: the suite whose tests find the mutant, None if all of them pass with it."""

    mutant: Mutant
    tests: int
    found_by: str | None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("action", choices=["measure", "run"])
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with running_postgres(durable=False) as url:
        migrated_sqlite()
        migrated_template(url)
        variables = {
            "sqlite": {"DATABASE_URL_TEST": ""},
            "postgresql": {"DATABASE_URL_TEST": url, "DATABASE_TEMPLATE": TEMPLATE},
        }
        if options.action == "measure":
            return measure(variables)
        for line in summary(tried(options.count, options.seed, variables)):
            print(line, flush=True)
    return 0


def measure(variables: Variables) -> int:
    """Run all tests on both databases. Return the first exit code that is not 0."""
    shutil.rmtree(STORE, ignore_errors=True)
    STORE.mkdir(parents=True)
    codes = []
    for database in DATABASES:
        settings = {
            "CONTEXTS": str(STORE),
            "CONTEXTS_DATABASE": database,
            "CONTEXTS_OF": ":".join(str(ROOT / folder) for folder in FOLDERS),
        }
        command = [sys.executable, "-m", "pytest", *ON_SQLITE, "-p", "tests.mutants.contexts"]
        command += ["-m", IN_THIS_PROCESS]
        selection = ["--suite=test-all"] if database == "postgresql" else []
        environment = os.environ | {"CI": "true"} | variables[database] | settings
        codes.append(
            subprocess.run([*command, *selection], env=environment, check=False).returncode
        )
    return next(filter(None, codes), 0)


def chosen(count: int, seed: int, lines: Lines) -> list[tuple[Mutant, list[MeasuredTest]]]:
    """Draw mutants, at most one of a line, whose lines any test executes."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    every = [
        mutant
        for path in files
        for mutant in mutants(str(path.relative_to(ROOT)), path.read_bytes())
    ]
    random.Random(seed).shuffle(every)
    drawn: dict[tuple[str, int], tuple[Mutant, list[MeasuredTest]]] = {}
    for mutant in every:
        place = mutant.path, mutant.line
        tests = lines.tests_of(ROOT / mutant.path, mutant.line)
        if tests and place not in drawn:
            drawn[place] = mutant, tests
        if len(drawn) == count:
            break
    return list(drawn.values())


def tried(count: int, seed: int, variables: Variables) -> Iterator[Verdict]:
    """Try the mutants, one for each processor at a time, in copies of the checkout."""
    quick = {database: in_make_test(variables[database]) for database in DATABASES}
    with ExitStack() as stack:
        copies: SimpleQueue[Copy] = SimpleQueue()
        processes = os.cpu_count() or 1
        for number in range(processes):
            copies.put(stack.enter_context(copied_checkout(f"mutants{number}")))

        def judged(drawn: tuple[Mutant, list[MeasuredTest]]) -> Verdict:
            mutant, tests = drawn
            in_test = [test for test in tests if test.node in quick[test.database]]
            in_test_all = [test for test in tests if test.node not in quick[test.database]]
            copy = copies.get()
            try:
                with copy.planted_mutant(mutant):
                    for suite, selected in zip(SUITES, (in_test, in_test_all), strict=True):
                        if is_found(copy, selected, variables):
                            return Verdict(mutant, len(tests), suite)
            finally:
                copies.put(copy)
            return Verdict(mutant, len(tests), None)

        with ThreadPoolExecutor(processes) as pool:
            yield from pool.map(judged, chosen(count, seed, Lines(STORE)))


def in_make_test(variables: dict[str, str]) -> set[str]:
    """The tests that `make test` runs on a database."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--suite=test"]
    listed = subprocess.check_output(command, env=os.environ | variables, text=True)
    return {line for line in listed.splitlines() if "::" in line}


def is_found(copy: Copy, tests: list[MeasuredTest], variables: Variables) -> bool:
    return any(
        copy.is_found_by([test for test in tests if test.database == database], settings)
        for database, settings in variables.items()
    )


def summary(verdicts: Iterator[Verdict]) -> Iterator[str]:
    """Yield a line for each mutant that `make test` does not find, and the two shares."""
    counted: dict[str | None, int] = dict.fromkeys((*SUITES, None), 0)
    for verdict in verdicts:
        counted[verdict.found_by] += 1
        print(f"\r{sum(counted.values())} tried", end="", file=sys.stderr, flush=True)
        if verdict.found_by != SUITES[0]:
            where = f"found by make {verdict.found_by}" if verdict.found_by else "lives"
            yield f"{where}, {verdict.tests} tests: {verdict.mutant}"
    by_test, by_test_all, _ = counted.values()
    by_all = by_test + by_test_all
    yield f"{sum(counted.values())} mutants; make test-all finds {by_all},"
    yield f"make test {by_test} of these ({by_test / max(by_all, 1):.1%})"


if __name__ == "__main__":
    sys.exit(main())
