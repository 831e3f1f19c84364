"""`python -m benchmarks [NAME …]`: each benchmark in a process and a database of its own."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from benchmarks.measure import machine
from tests.servers import running_postgres, running_redis

DATABASES = {
    "ranking": ("sqlite", "postgresql"),
    "storing": ("sqlite", "postgresql"),
    "building": ("sqlite", "postgresql"),
    "scoring": ("postgresql",),
    "cost": ("sqlite", "postgresql"),
    "comparing": ("sqlite", "postgresql"),
    "latency": ("sqlite",),
    "bulk": ("sqlite", "postgresql"),
    "queue": ("sqlite", "postgresql"),
    "metrics": ("sqlite",),
    "samples": ("sqlite",),
    "imports": ("sqlite",),
    "plugins": ("sqlite",),
    "text": ("sqlite",),
    "bertscore": ("sqlite",),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(DATABASES))
    parser.add_argument("--attempts", type=int, help="how large; the default is the claim's")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.names) - set(DATABASES):
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(DATABASES)}")
    if options.here:
        return _run_here(options.here, options.attempts)
    print(f"Measured on {machine()}.\n", flush=True)
    return max(
        _run(name, database, options.attempts)
        for name in options.names or DATABASES
        for database in DATABASES[name]
    )


def _run(name: str, database: str, attempts: int | None) -> int:
    with _services(database) as environment:
        size = ["--attempts", str(attempts)] if attempts else []
        return subprocess.run(
            [sys.executable, "-m", "benchmarks", "--here", name, *size],
            env=os.environ | environment,
            check=False,
        ).returncode


@contextmanager
def _services(database: str) -> Iterator[dict[str, str]]:
    """A fresh database and a Redis of our own, as environment variables."""
    with tempfile.TemporaryDirectory(prefix="podium-bench-") as folder, running_redis() as redis:
        common = {
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",  # whoever calls may have another
            "DATA_DIR": folder,
            "REDIS_URL": redis,
            "LOG_LEVEL": "error",
            "THROTTLE_SUBMIT": "off",
            "THROTTLE_BULK": "off",
        }
        if database == "sqlite":
            yield common | {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3"}
        else:
            with running_postgres() as url:
                yield common | {"DATABASE_URL": url}


def _run_here(name: str, attempts: int | None) -> int:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    given = {"attempts": attempts} if attempts else {}
    print(import_module(f"benchmarks.{name}").run(**given), flush=True)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
