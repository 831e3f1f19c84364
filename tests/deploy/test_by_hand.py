"""The four processes of docs/deploy.md, started with the commands that stand there."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.servers import free_port, running_postgres, running_redis, wait_for_port

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "deploy.md").read_text()
BIN = Path(sys.executable).parent
SECONDS = 40.0

CHALLENGE = {
    "slug": "by-hand",
    "name": "By hand",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    "scoring_config": {
        "success_bonus": 100.0,
        "rating_weight": 10.0,
        "time_penalty": 1.0,
        "token_penalty": 0.01,
    },
}
ATTEMPT = {
    "participant": "atlas",
    "metrics": {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8},
}


def documented(word: str) -> list[str]:
    """The one command on the page that has the word in it, with its environment left out."""
    section = PAGE.partition("\n## By hand\n")[2].partition("\n## ")[0]
    [line] = re.findall(rf"^.*\.venv/bin/.*\b{word}\b.*$", section, re.MULTILINE)
    words = shlex.split(line)
    start = next(n for n, part in enumerate(words) if part.startswith(".venv/bin/"))
    return [str(BIN / Path(words[start]).name), *words[start + 1 :]]


@contextmanager
def running(command: list[str], environment: dict[str, str], log: Path) -> Iterator[Any]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def once(command: list[str], environment: dict[str, str]) -> str:
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def eventually(look: Callable[[], Any]) -> Any:
    """The first true answer of `look`. AssertionError after `SECONDS`."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if answer := look():
            return answer
        time.sleep(0.1)
    raise AssertionError("it did not happen in time")


class Api:
    def __init__(self, port: int, token: str) -> None:
        self.url = f"http://127.0.0.1:{port}/api/v1"
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, content, headers=self.headers, method=method
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


def test_an_attempt_is_scored(tmp_path: Path) -> None:
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    port = free_port()
    with ExitStack() as stack:
        environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": stack.enter_context(running_postgres()),
            "REDIS_URL": stack.enter_context(running_redis()),
            "DATA_DIR": str(tmp_path / "data"),
            "STATIC_ROOT": str(tmp_path / "static"),
            "WEB_CONCURRENCY": "2",
            "PORT": str(port),
        }
        for word in ("migrate", "collectstatic", "check"):
            once(documented(word), environment)

        manage = [sys.executable, "manage.py"]
        scopes = ["--scope", "submit", "--scope", "organise", "--tenant", "default"]
        token = once([*manage, "create_token", "olivia", *scopes], environment).strip()

        web, worker, beat = (
            stack.enter_context(running(documented(word), environment, tmp_path / f"{word}.log"))
            for word in ("gunicorn", "worker", "beat")
        )
        wait_for_port(port, web)
        api = Api(port, token)
        api.call("POST", "/challenges/", CHALLENGE)
        sent = api.call("POST", "/challenges/by-hand/attempts/", ATTEMPT)

        def ended() -> Any:
            attempt = api.call("GET", f"/attempts/{sent['id']}/")
            return attempt if attempt["status"] in ("scored", "failed") else None

        attempt = eventually(ended)
        assert (attempt["status"], attempt["score"], attempt["error"]) == ("scored", 152.5, None)
        board = api.call("GET", "/challenges/by-hand/leaderboard/")
        assert [(row["rank"], row["score"]) for row in board["rows"]] == [(1, 152.5)]
        assert [process.poll() for process in (web, worker, beat)] == [None, None, None]

        site = f"http://127.0.0.1:{port}"
        page = urllib.request.urlopen(f"{site}/admin/login/").read().decode()
        [style] = re.findall(r"/static/admin/css/base\.[0-9a-f]{12}\.css", page)
        assert "immutable" in urllib.request.urlopen(site + style).headers["Cache-Control"]
