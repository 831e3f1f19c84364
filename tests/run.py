"""`make test`: the whole suite on SQLite, then what uses the database on PostgreSQL.

`python -m tests.run [PYTEST ARGUMENTS]`. PostgreSQL is DATABASE_URL_TEST if that is set, else a
server of our own.
"""

import os
import subprocess
import sys
from contextlib import nullcontext

from tests.servers import running_postgres

PROCESSES = ["-n", str(min((os.cpu_count() or 1) + 1, 4)), "--dist", "loadfile"]
"""One more than there are processors: many tests wait for servers, leases and outages."""


def main(arguments: list[str]) -> int:
    """The first exit code that is not 0, else 0. Both passes run, whatever the first one finds."""
    print("== SQLite: the whole suite", flush=True)
    on_sqlite = pytest("", *PROCESSES, *arguments)
    given = os.environ.get("DATABASE_URL_TEST")
    with nullcontext(given) if given else running_postgres() as url:
        print("== PostgreSQL: what uses the database, but for the tests marked `once`", flush=True)
        on_postgres = pytest(url, *PROCESSES, "--database-only", "-m", "not once", *arguments)
    return on_sqlite or on_postgres


def pytest(database_url: str, *arguments: str) -> int:
    environment = os.environ | {"DATABASE_URL_TEST": database_url}
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
