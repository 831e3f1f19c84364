"""Web, worker, beat, PostgreSQL and Redis by hand, and what becomes of attempts when each fails."""

import re
import signal
import subprocess
import time
from typing import Any

import pytest
import redis

from tests.full.stack import Stack, documented
from tests.processes import MANAGE, ROOT, alive, eventually, family
from tests.servers import restart_postgres

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

WEIGHTED = {
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
QUICK = {"name": "Sprint", "scoring_strategy": "fastest"}
SLOW = {
    "name": "Patience",
    "scoring_strategy": "custom",
    "scoring_entrypoint": "ours.scorers:Slow",
    # A claim that a killed worker held runs out soon.
    "timeout_ms": 3000,
}
FORGET = "from leaderboard.models import Standing; Standing.objects.all().delete()"


@pytest.fixture(scope="module", autouse=True)
def _challenges(stack: Stack) -> None:
    stack.site.create_challenge(**QUICK)
    stack.site.create_challenge(**SLOW)


def under_way(stack: Stack, attempt_id: str) -> None:
    eventually(lambda: stack.site.attempt(attempt_id)["status"] == "scoring")


def scored(stack: Stack, attempt_id: str) -> Any:
    attempt = stack.site.ended(attempt_id)
    assert (attempt["status"], attempt["error"]) == ("scored", None)
    return attempt


def deliveries(stack: Stack, attempt_id: str) -> int:
    [(count,)] = stack.rows("SELECT deliveries FROM leaderboard_attempt WHERE id = %s", attempt_id)
    return int(count)


def test_an_attempt_is_scored_and_scored_again(stack: Stack) -> None:
    site = stack.site
    challenge = site.create_challenge(name="Ring toss", **WEIGHTED)
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
    assert (answer.status, answer.json["attempts"]) == (202, 1)
    eventually(lambda: [row["score"] for row in site.board(challenge)] == [252.5])


def test_killed_workers(stack: Stack) -> None:
    """First what a worker has forked to do its work, then the whole worker."""
    first = stack.site.submit("patience", "atlas")
    under_way(stack, first)
    stack.kill_children("worker")
    second = stack.site.submit("patience", "boreas")
    under_way(stack, second)
    for word in ("worker", "beat"):
        stack.kill(word)
        stack.start(word)
    for attempt in (first, second):
        assert scored(stack, attempt)["score"] == 7.0
        assert deliveries(stack, attempt) == 2


def test_a_broker_that_forgets(stack: Stack) -> None:
    stack.stop("worker")
    sent = [stack.site.submit("sprint", f"p{number}", succeeded=True) for number in range(5)]
    with redis.Redis(port=stack.redis_port) as client:
        assert client.llen("podium")
        client.flushall()
    stack.start("worker")
    for attempt in sent:
        scored(stack, attempt)


def test_a_broker_that_hangs(stack: Stack) -> None:
    stack.process("redis-server").send_signal(signal.SIGSTOP)
    try:
        started = time.monotonic()
        sent = stack.site.submit("sprint", "hyperion", succeeded=True)
        print(f"acknowledged after {time.monotonic() - started:.2f} s")
        stack.site.page("/c/sprint/")
    finally:
        stack.process("redis-server").send_signal(signal.SIGCONT)
    scored(stack, sent)


def test_a_broker_that_is_away(stack: Stack) -> None:
    stack.kill("redis-server")
    sent = stack.site.submit("sprint", "kronos", succeeded=True)
    stack.site.page("/c/sprint/")
    stack.start("redis-server")
    scored(stack, sent)


def test_a_database_that_starts_again(stack: Stack) -> None:
    worker = family(stack.process("worker").pid)
    first = stack.site.submit("patience", "gaia")
    under_way(stack, first)
    restart_postgres(stack.environment["DATABASE_URL"])
    second = stack.site.submit("sprint", "gaia", succeeded=True)
    for attempt in (first, second):
        scored(stack, attempt)
    assert stack.process("worker").poll() is None
    assert alive(worker)
    assert stack.site.ask("GET", "/readyz").status == 200


def test_a_worker_that_is_told_to_end(stack: Stack) -> None:
    members = family(stack.process("worker").pid)
    assert len(members) > 3
    process = stack.process("worker")
    stack.stop("worker")
    assert process.returncode == 0
    eventually(lambda: not alive(members))
    stack.start("worker")


def test_nothing_was_lost_or_counted_twice(stack: Stack) -> None:
    for word in ("gunicorn", "worker", "beat"):
        assert stack.process(word).poll() is None
        assert "MemoryError" not in stack.log(word).read_text()
    statuses = stack.rows("SELECT DISTINCT status FROM leaderboard_attempt")
    assert statuses == [("scored",)]
    stack.check_standings()


def manage(stack: Stack, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of manage.py, which may fail."""
    return subprocess.run(
        [*MANAGE, *words],
        cwd=ROOT,
        env=stack.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_backup_taken_under_load_brings_everything_back(stack: Stack) -> None:
    """The documented commands, with a file of the test's own."""
    file = str(stack.folder / "podium.backup")
    backup, restore = (
        [file if word == "podium.backup" else word for word in documented(name, "Backup")[2:]]
        for name in ("manage.py backup", "manage.py restore")
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
    # Workers that were killed a moment ago count as alive for half a minute.
    eventually(lambda: manage(stack, *restore).returncode == 0, within=60)
    stack.check_standings()
    for word in ("gunicorn", "worker", "beat"):
        stack.start(word)
    for attempt in sent:
        scored(stack, attempt)
