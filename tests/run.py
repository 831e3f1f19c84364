"""`make test` and, with `--everything`, `make test-all`.

`python -m tests.run [--everything] [PYTEST ARGUMENTS]` runs tests on SQLite and, beside them, those
about the database on PostgreSQL: DATABASE_URL_TEST if that is set, else a server started here.
`tests/helpers/marks.py` says which tests `make test` leaves out. The tests that cost most
are listed at the end.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import IO

from tests.costs import dearest
from tests.databases import TEMPLATE, migrated_template
from tests.helpers import bertscore
from tests.prepare import database_files
from tests.processes import ROOT
from tests.servers import running_postgres

EVERYTHING = "--everything"
REPORTS = ROOT / ".pytest_cache" / "reports"
"""Where the costs of the last run are, for `tests.costs`."""
PROCESSORS = os.cpu_count() or 1
IN_ORDER = ("--dist", "loadfile", "--no-loadscope-reorder")
"""The order of tests/conftest.py."""
ON_SQLITE = ("-n", str(min(PROCESSORS + 1, 8)), *IN_ORDER)
"""One process more than there are processors: some tests wait for servers, leases and outages."""
ON_POSTGRES = ("-n", str(min(max(PROCESSORS // 2, 1), 4)), *IN_ORDER)


def main(arguments: list[str]) -> int:
    """Run all parts, even if one fails. Return the first exit code that is not 0, else 0.

    The tests on PostgreSQL run beside those on SQLite, and are shown after them.
    """
    everything = EVERYTHING in arguments
    given = [argument for argument in arguments if argument != EVERYTHING]
    suite = "test-all" if everything else "test"
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    reports = [REPORTS / f"{name}.xml" for name in ("SQLite", "PostgreSQL")]
    shown_later = REPORTS / "PostgreSQL.txt"
    with ThreadPoolExecutor(1) as beside:
        on_postgres = beside.submit(postgres_pass, reports[1], shown_later, suite, *given)
        print("== SQLite", flush=True)
        on_sqlite = [*ON_SQLITE, f"--suite={suite}", *given]
        codes = [pytest({"DATABASE_URL_TEST": ""}, reports[0], *on_sqlite)]
        print("== PostgreSQL: tests about the database", flush=True)
        codes.append(on_postgres.result())
    print(shown_later.read_text(), flush=True)
    if everything:
        codes.append(bertscore.main([]))
    print("== The tests that cost most", *dearest(reports), sep="\n", flush=True)
    return next(filter(None, codes), 0)


def postgres_pass(report: Path, output: Path, suite: str, *arguments: str) -> int:
    """Run the tests on PostgreSQL, with all that they print in a file."""
    given = os.environ.get("DATABASE_URL_TEST")
    with nullcontext(given) if given else running_postgres(durable=False) as url:
        variables = {"DATABASE_URL_TEST": url}
        if not given:
            migrated_template(url)
            variables["DATABASE_TEMPLATE"] = TEMPLATE
        files = () if arguments else database_files(suite)
        selection = [*ON_POSTGRES, f"--suite={suite}", *arguments, *files]
        with output.open("w") as stream:
            return pytest(variables, report, *selection, output=stream)


def pytest(
    variables: dict[str, str],
    report: Path,
    *arguments: str | Path,
    output: IO[str] | None = None,
) -> int:
    command = [sys.executable, "-m", "pytest", f"--junitxml={report}", *arguments]
    environment = os.environ | variables
    errors = None if output is None else subprocess.STDOUT
    return subprocess.run(
        command, env=environment, stdout=output, stderr=errors, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
