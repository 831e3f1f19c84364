"""`make test` and, with `--everything`, `make test-all`.

`python -m tests.run [--everything] [PYTEST ARGUMENTS]` runs tests on SQLite, then those about the
database on PostgreSQL: DATABASE_URL_TEST if that is set, else a server started here.
`tests/marks.py` says which tests `make test` leaves out. The tests that cost most are listed at the
end.
"""

import os
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

from tests import bertscore
from tests.costs import dearest
from tests.databases import TEMPLATE, migrated_template
from tests.prepare import database_files
from tests.processes import ROOT
from tests.servers import running_postgres

EVERYTHING = "--everything"
REPORTS = ROOT / ".pytest_cache" / "reports"
"""Where the costs of the last run are, for `tests.costs`."""
PROCESSES = [
    *("-n", str(min((os.cpu_count() or 1) + 1, 8))),
    *("--dist", "loadfile", "--no-loadscope-reorder"),  # in the order of tests/conftest.py
]
"""One more than there are processors: some tests wait for servers, leases and outages."""


def main(arguments: list[str]) -> int:
    """Return the first exit code that is not 0, else 0. All parts run, even if the first fails."""
    everything = EVERYTHING in arguments
    given = [argument for argument in arguments if argument != EVERYTHING]
    suite = "test-all" if everything else "test"
    shutil.rmtree(REPORTS, ignore_errors=True)
    reports = [REPORTS / f"{name}.xml" for name in ("SQLite", "PostgreSQL")]
    print("== SQLite", flush=True)
    codes = [pytest({"DATABASE_URL_TEST": ""}, reports[0], f"--suite={suite}", *given)]
    codes.append(postgres_pass(reports[1], suite, *given))
    if everything:
        codes.append(bertscore.main([]))
    print("== The tests that cost most", *dearest(reports), sep="\n", flush=True)
    return next(filter(None, codes), 0)


def postgres_pass(report: Path, suite: str, *arguments: str) -> int:
    given = os.environ.get("DATABASE_URL_TEST")
    with nullcontext(given) if given else running_postgres(durable=False) as url:
        print("== PostgreSQL: tests about the database", flush=True)
        variables = {"DATABASE_URL_TEST": url}
        if not given:
            migrated_template(url)
            variables["DATABASE_TEMPLATE"] = TEMPLATE
        files = () if arguments else database_files(suite)
        return pytest(variables, report, f"--suite={suite}", *arguments, *files)


def pytest(variables: dict[str, str], report: Path, *arguments: str | Path) -> int:
    command = [sys.executable, "-m", "pytest", *PROCESSES, f"--junitxml={report}", *arguments]
    return subprocess.run(command, env=os.environ | variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
