"""`python -m benchmarks [NAME …]`: run each benchmark in a process and with a database of its
own."""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.one import run_and_print
from benchmarks.parts.measure import machine
from tests.databases import copied_template, migrated_sqlite, migrated_template
from tests.helpers.forked import exit_code
from tests.servers import running_postgres, running_redis

DATABASES = {
    "ranking": ("sqlite", "postgresql"),
    "storing": ("sqlite", "postgresql"),
    "scoring": ("postgresql",),
    "cost": ("sqlite", "postgresql"),
    "messages": ("postgresql",),
    "comparing": ("sqlite", "postgresql"),
    "latency": ("sqlite",),
    "bulk": ("sqlite", "postgresql"),
    "quotas": ("sqlite", "postgresql"),
    "deadline": ("postgresql",),
    "soak": ("postgresql",),
    "parsing": ("sqlite",),
    "queue": ("sqlite", "postgresql"),
    "metrics": ("sqlite",),
    "uncertainty": ("sqlite",),
    "pages": ("sqlite", "postgresql"),
    "readers": ("sqlite",),
    "samples": ("sqlite",),
    "imports": ("sqlite",),
    "plugins": ("sqlite",),
    "text": ("sqlite",),
    "bertscore": ("sqlite",),
    "predictions": ("sqlite",),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "benchmarks",
        nargs="*",
        type=_benchmark,
        default=[(name, None) for name in DATABASES],
        metavar="NAME[=ATTEMPTS]",
        help=f"{', '.join(DATABASES)}; ATTEMPTS says how large, the default is the claim's",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=sys.maxsize,
        help="the most repetitions of a call that is timed; few suffice for a trial",
    )
    options = parser.parse_args()
    print(f"Measured on {machine()}.\n", flush=True)
    with ExitStack() as stack:
        servers = Servers(stack)
        return max(
            _run(name, database, servers, attempts, options.rounds)
            for name, attempts in options.benchmarks
            for database in DATABASES[name]
        )


def _benchmark(given: str) -> tuple[str, int | None]:
    """Read `NAME` or `NAME=ATTEMPTS`."""
    name, mark, attempts = given.partition("=")
    if name not in DATABASES:
        raise argparse.ArgumentTypeError(f"no benchmark {name}; there are {', '.join(DATABASES)}")
    if not mark:
        return name, None
    if not attempts.isdecimal():
        raise argparse.ArgumentTypeError(f"{name}: attempts must be a number; got {attempts}")
    return name, int(attempts)


class Servers:
    """One PostgreSQL for all benchmarks, started by the first that needs it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    @functools.cached_property
    def _postgres(self) -> str:
        url = self._stack.enter_context(running_postgres())
        migrated_template(url)
        return url

    @contextmanager
    def database(self, system: str, folder: str) -> Iterator[str]:
        """Yield the URL of a new database with all migrations and no rows."""
        if system == "sqlite":
            file = Path(folder, "db.sqlite3")
            shutil.copyfile(migrated_sqlite(), file)
            yield f"sqlite:///{file}"
        else:
            with copied_template(self._postgres, "benchmark") as url:
                yield url


def _run(name: str, system: str, servers: Servers, attempts: int | None, rounds: int) -> int:
    """Run a benchmark in a process of its own; returns its exit code."""
    folders = tempfile.TemporaryDirectory(prefix="podium-bench-")
    with folders as folder, running_redis() as redis, servers.database(system, folder) as url:
        variables = {
            # the caller's environment may name other settings
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DATABASE_URL": url,
            "DATA_DIR": folder,
            "REDIS_URL": redis,
            "LOG_LEVEL": "error",
            "THROTTLE_SUBMIT": "off",
            "THROTTLE_BULK": "off",
            "THROTTLE_READ": "off",
            "MAX_WAITING": "1000000/participant,1000000/tenant",
        }
        return exit_code(run_and_print, os.environ | variables, name, attempts, rounds)


if __name__ == "__main__":
    sys.exit(main())
