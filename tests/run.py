"""`make test`: the whole suite on SQLite, then the tests of the database on PostgreSQL.

`python -m tests.run [PYTEST ARGUMENTS]`. Without arguments, the second pass loads only the files
that `tests/prepare.py` has found. PostgreSQL is DATABASE_URL_TEST if that is set, else a
server started here. The twenty slowest tests of both are listed at the end.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from tests.databases import TEMPLATE, migrated_template
from tests.prepare import database_files
from tests.servers import running_postgres
from tests.slowest import slowest

PROCESSES = [
    *("-n", str(min((os.cpu_count() or 1) + 2, 8))),
    *("--dist", "loadfile", "--no-loadscope-reorder"),  # in the order of tests/conftest.py
]
"""Two more than there are processors: many tests wait for servers, leases and outages."""


def main(arguments: list[str]) -> int:
    """Return the first exit code that is not 0, else 0. Both passes run, even if the first one
    fails.

    One after the other: together they would leave no processor idle, and tests that kill processes
    would then miss their moments.
    """
    with tempfile.TemporaryDirectory(prefix="podium-reports-") as folder:
        reports = [Path(folder, f"{name}.xml") for name in ("SQLite", "PostgreSQL")]
        print("== SQLite: the whole suite", flush=True)
        on_sqlite = pytest({"DATABASE_URL_TEST": ""}, reports[0], *arguments)
        on_postgres = postgres_pass(reports[1], *arguments)
        print("== The slowest tests", *slowest(reports), sep="\n", flush=True)
    return on_sqlite or on_postgres


def postgres_pass(report: Path, *arguments: str) -> int:
    given = os.environ.get("DATABASE_URL_TEST")
    with nullcontext(given) if given else running_postgres(durable=False) as url:
        print("== PostgreSQL: what uses the database, but for the tests marked `once`", flush=True)
        variables = {"DATABASE_URL_TEST": url}
        if not given:
            migrated_template(url)
            variables["DATABASE_TEMPLATE"] = TEMPLATE
        files = () if arguments else database_files()
        return pytest(variables, report, "--database-only", "-m", "not once", *arguments, *files)


def pytest(variables: dict[str, str], report: Path, *arguments: str | Path) -> int:
    command = [sys.executable, "-m", "pytest", *PROCESSES, f"--junitxml={report}", *arguments]
    return subprocess.run(command, env=os.environ | variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
