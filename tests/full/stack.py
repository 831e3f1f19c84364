"""The processes of docs/deploy.md, started with the commands documented there."""

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.databases import fill_migrated
from tests.helpers.forked import command_output, started_by_fork
from tests.processes import BIN, ROOT, Process, Site, Start, family, kill, once, running, started
from tests.servers import free_port, running_postgres, wait_for_port

PAGE = (ROOT / "docs" / "deploy.md").read_text()


def documented(word: str, heading: str = "By hand") -> list[str]:
    """Return the only command under a heading that contains the word, without its environment."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    [line] = re.findall(rf"^.*\b{word}\b.*$", "".join(blocks), re.MULTILINE)
    words = [word for word in shlex.split(line) if "=" not in word or word.startswith("-")]
    if words[0].startswith(".venv/bin/"):
        words[0] = str(BIN / Path(words[0]).name)
    return words


class Stack:
    """PostgreSQL, Redis, web, worker and beat, each of which can be stopped and started again."""

    def __init__(self, folder: Path, plugins: Path, database_url: str, **variables: str) -> None:
        self.folder = folder
        self.redis_port = free_port()
        self.environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": database_url,
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "DATA_DIR": str(folder / "data"),
            "STATIC_ROOT": str(folder / "static"),
            "WEB_CONCURRENCY": "2",
            "PORT": str(free_port()),
            "SCORER_PATH": str(plugins),
            "SCORER_PACKAGES": "scorers,ours",
            "SWEEP_SECONDS": "1",
            "PROMETHEUS_TOKEN": "counted",
            **variables,
        }
        self.running: dict[str, tuple[Process, ExitStack]] = {}
        self._start: Start = started
        self._connection: psycopg.Connection | None = None
        self.site = Site(int(self.environment["PORT"]))

    def prepare(self, *, as_documented: bool) -> None:
        """Start all processes, with an empty database.

        It is copied, which takes a fraction of the time: tests/deployment types every command
        of docs/deploy.md. If not `as_documented`, static files are served from their source
        folders, and the product's processes are forked.
        """
        self.start("redis-server")
        fill_migrated(self.environment["DATABASE_URL"])
        if as_documented:
            once(documented("collectstatic"), self.environment)
        else:
            del self.environment["STATIC_ROOT"]
            self._start = started_by_fork
        scopes = ["--scope", "submit", "--scope", "organise", "--tenant", "default"]
        token = self.manage("create_token", "olivia", "--create", *scopes).strip()
        self.site = Site(self.site.port, token)
        for word in ("gunicorn", "worker", "beat"):
            self.start(word)

    def manage(self, *words: str) -> str:
        return command_output(words, self.environment)

    def check_standings(self) -> None:
        for line in self.manage("verify_standings").splitlines():
            assert line.endswith(": no differences")
        for line in self.manage("verify_log").splitlines():
            assert ": no faults, " in line

    def start(self, word: str, *options: str) -> None:
        """Start one of the programs; web and Redis answer when it returns."""
        command = [*documented(word), *options]
        if word == "redis-server":
            command += ["--port", str(self.redis_port), "--dir", str(self.folder)]
        ended = ExitStack()
        begin = started if word == "redis-server" else self._start
        process = ended.enter_context(
            running(command, self.environment, self.log(word), start=begin)
        )
        self.running[word] = process, ended
        ports = {"redis-server": self.redis_port, "gunicorn": self.site.port}
        if word in ports:
            wait_for_port(ports[word], process)

    @contextmanager
    def second_worker(self) -> Iterator[None]:
        """Run another worker beside the first, on the same queue."""
        command = [*documented("worker"), "--hostname", "second@%h"]
        with running(command, self.environment, self.log("second-worker"), start=self._start):
            yield

    def process(self, word: str) -> Process:
        return self.running[word][0]

    def stop(self, word: str) -> None:
        """Stop one of the programs as a supervisor would, with SIGTERM."""
        _, ended = self.running.pop(word)
        ended.close()

    def kill(self, word: str) -> None:
        """Kill one of the programs and all its descendants, as a power cut would."""
        kill(family(self.process(word).pid))
        self.stop(word)

    def kill_children(self, word: str) -> None:
        """Kill the descendants of one of the programs, but not the program."""
        pid = self.process(word).pid
        kill({member for member in family(pid) if member.pid != pid})

    def stop_all(self) -> None:
        for word in reversed(list(self.running)):
            self.stop(word)
        if self._connection is not None:
            self._connection.close()

    def log(self, word: str) -> Path:
        return self.folder / f"{word}.log"

    def expire(self, table: str) -> None:
        """Let leases end, as if the time of a killed worker had run out."""
        leased = f"SELECT id FROM leaderboard_{table} WHERE lease_token IS NOT NULL"
        past = f"SET lease_until = '2000-01-01' WHERE id IN ({leased} FOR UPDATE SKIP LOCKED)"
        self.rows(f"UPDATE leaderboard_{table} {past} RETURNING id")

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, which is committed.

        All use one connection. If a fault has closed it, the statement is repeated over a new one.
        """
        if self._connection is not None:
            try:
                return self._connection.execute(query, values).fetchall()
            except psycopg.OperationalError:
                self._connection.close()
        self._connection = psycopg.connect(
            self.environment["DATABASE_URL"], autocommit=True, prepare_threshold=None
        )
        return self._connection.execute(query, values).fetchall()


@contextmanager
def running_stack(
    folder: Path, plugins: Path, *, as_documented: bool = True, **variables: str
) -> Iterator[Stack]:
    with running_postgres() as url:
        stack = Stack(folder, plugins, url, **variables)
        try:
            stack.prepare(as_documented=as_documented)
            yield stack
        finally:
            stack.stop_all()
