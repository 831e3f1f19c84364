"""Web, worker, beat, PostgreSQL and Redis started by hand; tests/faults/ breaks them."""

import http.client
import json
import re
import subprocess
from typing import Any

import pytest

from tests.embedded.test_up import ATTEMPT, WEIGHTED
from tests.full.stack import Stack, documented
from tests.processes import MANAGE, ROOT, alive, eventually, family
from tests.servers import without_postgres

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

QUICK = {"name": "Sprint", "scoring_strategy": "fastest"}
FORGET = "from leaderboard.models import Standing; Standing.objects.all().delete()"


@pytest.fixture(scope="module", autouse=True)
def _challenge(stack: Stack) -> None:
    stack.site.create_challenge(**QUICK)


def scored(stack: Stack, attempt_id: str) -> Any:
    attempt = stack.site.ended(attempt_id)
    assert (attempt["status"], attempt["error"]) == ("scored", None)
    return attempt


@pytest.mark.journey
def test_an_attempt_is_scored_and_rescored(stack: Stack) -> None:
    site = stack.site
    challenge = site.create_challenge(**WEIGHTED)
    sent = site.submit(challenge, "atlas", **ATTEMPT)
    assert scored(stack, sent)["score"] == 152.5
    assert [(row["rank"], row["score"]) for row in site.board(challenge)] == [(1, 152.5)]
    page = site.page(f"/c/{challenge}/")
    assert "152.5" in page
    [style] = set(re.findall(r"/static/\S+\.[0-9a-f]{12}\.css", page)) or {""}
    assert site.ask("GET", style).status == 200

    config = WEIGHTED["scoring_config"] | {"success_bonus": 200.0}  # type: ignore[operator]
    path = f"/api/v1/challenges/{challenge}/"
    assert site.ask("PATCH", path, {"scoring_config": config}).status == 200
    answer = site.ask("POST", f"{path}rescore/", {})
    assert (answer.status, answer.json.get("attempts")) == (202, 1), answer
    eventually(lambda: [row["score"] for row in site.board(challenge)] == [252.5])


def logged(stack: Stack, word: str) -> list[Any]:
    """The lines of a process that are JSON, without those of libraries that print."""
    lines = stack.log(word).read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_lines_of_workers_name_the_request_that_caused_them(stack: Stack) -> None:
    site = stack.site
    challenge = site.create_challenge(name="Long jump", scoring_strategy="fastest")
    sent = site.submit(challenge, "atlas", **ATTEMPT)
    scored(stack, sent)
    path = f"/api/v1/challenges/{challenge}"
    assert site.ask("PATCH", f"{path}/", {"only_succeeded": True}).status == 200
    assert site.ask("POST", f"{path}/rescore/", {}).status == 202
    switched = f"{challenge} shows scoring version 2"

    def lines_of(word: str, **fields: str) -> list[Any]:
        return [line for line in logged(stack, word) if fields.items() <= line.items()]

    eventually(lambda: lines_of("worker", event=switched))
    (submitted,) = lines_of("gunicorn", method="POST", path=f"{path}/attempts/")
    (rescored,) = lines_of("gunicorn", method="POST", path=f"{path}/rescore/")
    (ended,) = lines_of("worker", event="attempt ended", attempt=sent)
    (switch_line,) = lines_of("worker", event=switched)
    assert ended["request_id"] == submitted["request_id"]
    assert switch_line["request_id"] == rescored["request_id"] != submitted["request_id"]


def test_a_worker_stops_on_sigterm(stack: Stack) -> None:
    members = family(stack.process("worker").pid)
    assert len(members) > 3
    process = stack.process("worker")
    own = ("SELECT 1 FROM leaderboard_worker WHERE name LIKE %s", f"%:{process.pid}:%")
    eventually(lambda: stack.rows(*own))
    stack.stop("worker")
    assert process.poll() == 0
    assert stack.rows(*own) == [], "it no longer counts as alive"
    eventually(lambda: not alive(members))
    stack.start("worker")


def test_outages_are_logged_without_tracebacks(stack: Stack) -> None:
    """A broker and a database are stopped and started again."""
    stack.kill("redis-server")
    stack.site.submit("sprint", "kronos", succeeded=True)
    stack.start("redis-server")
    with without_postgres(stack.environment["DATABASE_URL"]):
        eventually(lambda: "the database does not answer" in stack.log("worker").read_text())
    again = "the database answers again after "
    eventually(lambda: again in stack.log("worker").read_text())
    scored(stack, stack.site.submit("sprint", "gaia", succeeded=True))
    for word in ("gunicorn", "worker", "beat"):
        log = stack.log(word).read_text()
        tracebacks = [line for line in log.splitlines() if "Traceback" in line]
        assert [line for line in tracebacks if "WorkerLostError" not in line] == []
        assert log.count(" answers again after ") <= log.count(" does not answer: ")
    assert '"event": "attempt ended"' in stack.log("worker").read_text()
    assert '"event": "request"' in stack.log("gunicorn").read_text()


def test_counters_of_all_processes_are_added_up(stack: Stack) -> None:
    """Two web processes answer in turn, and two worker processes score."""

    def metrics() -> str:
        connection = http.client.HTTPConnection("127.0.0.1", stack.site.port)
        connection.request("GET", "/metrics", headers={"Authorization": "Bearer counted"})
        return connection.getresponse().read().decode()

    def count(name: str) -> float:
        rows = re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", metrics(), re.MULTILINE)
        return sum(map(float, rows))

    before = count("podium_requests_total")
    sent = [stack.site.submit("sprint", f"c{number}", succeeded=True) for number in range(6)]
    for attempt in sent:
        scored(stack, attempt)
    [(ended,)] = stack.rows("SELECT count(*) FROM leaderboard_attempt")
    eventually(lambda: count("podium_attempts_total") >= ended)
    eventually(lambda: count("podium_requests_total") >= before + 12)
    assert count("podium_attempts_total") == ended
    assert count("podium_workers_alive") >= 1  # a killed worker counts as alive for a while


def test_no_attempt_was_lost_or_scored_twice(stack: Stack) -> None:
    for word in ("gunicorn", "worker", "beat"):
        assert stack.process(word).poll() is None
        assert "MemoryError" not in stack.log(word).read_text()
    statuses = stack.rows("SELECT DISTINCT status FROM leaderboard_attempt")
    assert statuses == [("scored",)]
    stack.check_standings()


def manage(stack: Stack, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py that may fail."""
    return subprocess.run(
        [*MANAGE, *words],
        cwd=ROOT,
        env=stack.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_backup_taken_under_load_restores_everything(stack: Stack) -> None:
    """The documented commands are used, with a file of the test's own."""
    file = str(stack.folder / "podium.backup")
    backup, restore = (
        [file if word == "podium.backup" else word for word in documented(name, "Backup")[2:]]
        for name in ("manage.py backup podium", "manage.py restore podium")
    )
    sent = [stack.site.submit("sprint", f"load-{number}", succeeded=True) for number in range(9)]
    stack.manage(*backup)
    refused = manage(stack, *restore)
    assert refused.returncode == 1
    assert "stop every worker first" in refused.stderr
    for attempt in sent:
        scored(stack, attempt)
    for word in ("gunicorn", "worker", "beat"):
        stack.stop(word)
    stack.manage("shell", "-v0", "-c", FORGET)
    assert stack.rows("SELECT * FROM leaderboard_standing") == []
    # A worker that was just killed counts as alive for half a minute.
    eventually(lambda: manage(stack, *restore).returncode == 0, every=2)
    stack.check_standings()
    for word in ("gunicorn", "worker", "beat"):
        stack.start(word)
    for attempt in sent:
        scored(stack, attempt)
