"""Programs that the tests start, and HTTP requests to them."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
MANAGE = [sys.executable, str(ROOT / "manage.py")]

SECONDS = 90.0
"""Time limit: much longer than anything takes, because the machine may be busy."""

T = TypeVar("T")


class Process(Protocol):
    """What tests use of `subprocess.Popen`."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


Start = Callable[[Sequence[str], Mapping[str, str], Path, Path, Path], Process]
"""Starts a command with an environment; its output and errors are added to two files, and the last
path is its folder."""


def eventually(look: Callable[[], T], *, every: float = 0.05, within: float = SECONDS) -> T:
    """Return the first true answer of `look`. AssertionError if there was none in time."""
    deadline = time.monotonic() + within
    while not (answer := look()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(every)
    return answer


def started(
    command: Sequence[str], environment: Mapping[str, str], log: Path, errors: Path, cwd: Path
) -> Process:
    with log.open("ab") as output, errors.open("ab") as complaints:
        return subprocess.Popen(command, cwd=cwd, env=environment, stdout=output, stderr=complaints)


@contextmanager
def running(
    command: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    errors: Path | None = None,
    cwd: Path = ROOT,
    start: Start = started,
) -> Iterator[Process]:
    """Run a program with its output in `log`; end it with SIGTERM, or kill it if that fails."""
    process = start(command, environment, log, errors or log, cwd)
    try:
        yield process
    finally:
        with suppress(subprocess.TimeoutExpired):
            process.terminate()
            process.wait(timeout=30)
        process.kill()
        process.wait()


def once(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the output of a command that must succeed."""
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


class Member(NamedTuple):
    """A process of a family; its start time distinguishes it from a later process of the same
    id."""

    pid: int
    started: str


def family(pid: int) -> set[Member]:
    """Return a process and all its descendants, from /proc."""
    parents = dict(_processes())
    tree = {member for member in parents if member.pid == pid}
    while more := {m for m, parent in parents.items() if parent in {f.pid for f in tree}} - tree:
        tree |= more
    return tree


def alive(members: set[Member]) -> set[Member]:
    return members & {member for member, _ in _processes()}


def kill(members: set[Member]) -> None:
    """Kill all processes at once, as the end of a machine does.

    They are all stopped first: on a busy machine a worker would otherwise see how its sandbox is
    killed before it is killed itself, and store that as the scorer's failure.
    """
    for sent in (signal.SIGSTOP, signal.SIGKILL):
        for member in alive(members):
            with suppress(ProcessLookupError):
                os.kill(member.pid, sent)
    eventually(lambda: not alive(members))


def _processes() -> Iterator[tuple[Member, int]]:
    """Yield every running process with its parent."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, *rest = path.read_text().rpartition(")")[2].split()
            if state not in "ZX":
                yield Member(int(path.parent.name), rest[17]), int(parent)


class Answer(NamedTuple):
    status: int
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Site:
    """A running product as its clients see it."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.token = token
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> Answer:
        """Send one request over a new connection. OSError if the server goes away."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            content = body if body is None or isinstance(body, str) else json.dumps(body)
            typed = {"Content-Type": content_type} if content else {}
            connection.request(method, path, content, self.headers | typed)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read().decode())
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()

    def page(self, path: str) -> str:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def get(self, path: str) -> Any:
        return json.loads(self.page(f"/api/v1{path}"))

    def create_challenge(self, **fields: Any) -> str:
        answer = self.ask("POST", "/api/v1/challenges/", fields)
        assert answer.status == 201, answer
        slug: str = answer.json["slug"]
        return slug

    def submit(self, challenge: str, participant: str, **metrics: Any) -> str:
        """Submit an attempt; return its id."""
        body = {"participant": participant, "metrics": metrics}
        answer = self.ask("POST", f"/api/v1/challenges/{challenge}/attempts/", body)
        assert answer.status == 202, answer
        attempt_id: str = answer.json["id"]
        return attempt_id

    def submit_lines(self, challenge: str, lines: list[str]) -> None:
        """Submit many attempts in one request; all must be accepted."""
        path = f"/api/v1/challenges/{challenge}/attempts/bulk/"
        answer = self.ask("POST", path, "\n".join(lines), "application/x-ndjson")
        assert answer.status == 200, answer
        assert answer.json["accepted"] == len(lines), answer

    def attempt(self, attempt_id: str) -> Any:
        return self.get(f"/attempts/{attempt_id}/")

    def ended(self, attempt_id: str) -> Any:
        """Wait until an attempt is scored or has failed, and return it."""

        def look() -> Any:
            attempt = self.attempt(attempt_id)
            return attempt if attempt["status"] in ("scored", "failed") else None

        return eventually(look)

    def board(self, challenge: str) -> list[Any]:
        rows: list[Any] = self.get(f"/challenges/{challenge}/leaderboard/?limit=100")["rows"]
        return rows
