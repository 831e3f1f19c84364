"""The product in one process: how it starts, serves and ends."""

import os
import pty
import re
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from tests.embedded.server import Embedded
from tests.processes import MANAGE, alive, eventually, family

pytestmark = [pytest.mark.embedded, pytest.mark.once, pytest.mark.slow]

WEIGHTED = {
    "name": "Ring toss",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    "scoring_config": {
        "success_bonus": 100.0,
        "rating_weight": 10.0,
        "time_penalty": 1.0,
        "token_penalty": 0.01,
    },
}
ATTEMPT = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8}

HANGING = '''
import time

class Hanging:
    """Never answers."""

    def score(self, metrics, config, ctx):
        time.sleep(600)
'''


def refused(embedded: Embedded, *options: str, **variables: str) -> str:
    """Return the one line that a server prints which does not start."""
    ended = subprocess.run(
        [*MANAGE, "up", *options],
        env=embedded.environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    [line] = ended.stderr.splitlines()
    return line


def test_an_attempt_is_scored(uninstalled: Embedded) -> None:
    with uninstalled.up("--no-demo") as (process, site):
        assert site.get("/challenges/")["results"] == []
        organiser = uninstalled.organiser(site)
        challenge = organiser.create_challenge(**WEIGHTED)
        sent = organiser.submit(challenge, "atlas", **ATTEMPT)
        attempt = organiser.ended(sent)
        assert (attempt["status"], attempt["score"], attempt["rank"]) == ("scored", 152.5, 1)
        assert "152.5" in site.page(f"/c/{challenge}/")
        assert "152.5" in site.page(f"/attempts/{sent}/")

        members = family(process.pid)
        assert len(members) > 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        eventually(lambda: not alive(members))
    assert "Traceback" not in uninstalled.errors.read_text()

    ready, *first = output(uninstalled).splitlines()
    assert ready == f"ready http://127.0.0.1:{site.port}"
    [kept] = re.findall(r"as admin with the password in (\S+)", "\n".join(first))
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    password = Path(kept).read_text().strip()
    assert is_admins(uninstalled, password)
    assert password not in output(uninstalled) + uninstalled.errors.read_text()
    with uninstalled.up("--no-demo") as (_, site):
        assert "152.5" in site.page(f"/attempts/{sent}/")
    assert output(uninstalled) == f"ready http://127.0.0.1:{site.port}\n"


def test_a_terminal_shows_a_box(embedded: Embedded) -> None:
    ours, theirs = pty.openpty()
    command = [*MANAGE, "up", "--port", "0", "--no-demo"]
    with subprocess.Popen(
        command, env=embedded.environment, stdout=theirs, stderr=subprocess.DEVNULL
    ) as process:
        try:
            os.close(theirs)
            screen = read_until(ours, "╯")
        finally:
            process.terminate()
    os.close(ours)
    url = re.search(r"Open +(http://127\.0\.0\.1:\d+) ", screen)
    assert url
    assert f"{url[1]}/admin/" in screen
    [password] = re.findall(r"admin / (\S+)", screen)
    assert is_admins(embedded, password)
    assert str(embedded.folder / "var") in screen
    assert "Ctrl-C stops" in screen
    assert not (embedded.folder / "var" / "admin-password").exists()
    ready, *box = screen.splitlines()
    assert ready == f"ready {url[1]}"
    assert len({len(line) for line in box}) == 1


def read_until(descriptor: int, end: str) -> str:
    """Return what a terminal shows, up to `end` and the rest of its line."""
    screen = b""
    while end.encode() not in screen:
        screen += os.read(descriptor, 4096)
    return screen.decode().strip()


def test_a_port_in_use_is_one_error_line(embedded: Embedded) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused(embedded, "--port", str(port))
    assert f"cannot listen on 127.0.0.1:{port}" in line
    assert "PORT=" in line


def test_a_wrong_setting_is_one_error_line(embedded: Embedded) -> None:
    assert "SCORER_TIMEOUT_MS" in refused(embedded, SCORER_TIMEOUT_MS="soon")


def test_more_than_one_web_process_is_refused(embedded: Embedded) -> None:
    ended = subprocess.run(
        [*MANAGE, "up", "--port", "0"],
        env=embedded.environment | {"WEB_CONCURRENCY": "2"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "REDIS_URL" in ended.stderr


def test_pages_do_not_wait_for_a_slow_scorer(plugins: Path, tmp_path: Path) -> None:
    (plugins / "ours.py").write_text(HANGING)
    embedded = Embedded(tmp_path, SCORER_PATH=str(plugins), SCORER_PACKAGES="scorers,ours")
    with embedded.up("--no-demo") as (process, site):
        organiser = embedded.organiser(site)
        challenge = organiser.create_challenge(
            name="Patience",
            scoring_strategy="custom",
            scoring_entrypoint="ours:Hanging",
            timeout_ms=600_000,
        )
        sent = organiser.submit(challenge, "atlas", **ATTEMPT)
        eventually(lambda: organiser.attempt(sent)["status"] == "scoring")
        organiser.submit(challenge, "boreas", **ATTEMPT)
        for path in ("/", f"/c/{challenge}/", f"/attempts/{sent}/", "/plugins/", "/readyz"):
            site.page(path)
        organiser.create_challenge(**WEIGHTED)
        assert organiser.attempt(sent)["status"] == "scoring"

        members = family(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        eventually(lambda: not alive(members))


def is_admins(embedded: Embedded, password: str) -> bool:
    ask = "from leaderboard.models import User; print(User.objects.get(username='admin')"
    ask += f".check_password({password!r}))"
    return embedded.manage("shell", "-v0", "-c", ask) == "True\n"


def output(embedded: Embedded) -> str:
    return embedded.output.read_text()
