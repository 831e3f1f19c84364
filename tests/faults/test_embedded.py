"""`manage.py up`: killed ten times under load, and with its database locked by another process."""

import random
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest

from tests.embedded.server import Embedded
from tests.faults.world import PROMISED_SECONDS, note, seed
from tests.processes import Site, alive, eventually, family, kill

CLIENTS = 4
KILLS = 10
LOCKED_SECONDS = 10.0
CHALLENGES: list[dict[str, Any]] = [
    {"name": "Sprint", "scoring_strategy": "fastest"},
    {
        "name": "Ring toss",
        "scoring_strategy": "custom",
        "scoring_entrypoint": "scorers.weighted:WeightedScorer",
        "scoring_config": {"success_bonus": 100.0, "rating_weight": 0.0, "time_penalty": 0.0},
        # A claim of the killed process expires soon; a busy machine still scores in this time.
        "timeout_ms": 4000,
    },
]
WAITING = "SELECT count(*) FROM leaderboard_attempt WHERE status IN ('queued', 'scoring')"


class Clients:
    """Threads that submit as fast as they can, and repeat what was not acknowledged."""

    def __init__(self, chance: int) -> None:
        self.site = Site(0)
        self.slugs: list[str] = []
        self.acknowledged: list[str] = []
        self.seed = chance
        self._done = threading.Event()
        self._threads = [Thread(target=self._go_on, args=(n,)) for n in range(CLIENTS)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def finish(self) -> None:
        """Return when all requests that were started are acknowledged."""
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _go_on(self, number: int) -> None:
        dice = random.Random(self.seed + number)
        while not self._done.is_set():
            facts = {"succeeded": dice.random() < 0.8, "elapsed_ms": dice.randint(1, 9) * 1000}
            body = {"participant": f"p{dice.randint(1, 9)}", "metrics": facts}
            self._send(dice.choice(self.slugs), body, {"Idempotency-Key": str(uuid4())})

    def _send(self, challenge: str, body: Any, key: dict[str, str]) -> None:
        """Send until it is acknowledged. The key makes it one attempt, however often it is sent."""
        while True:
            site = Site(self.site.port, self.site.token)
            site.headers |= key
            try:
                answer = site.ask("POST", f"/api/v1/challenges/{challenge}/attempts/", body)
                if answer.status in (200, 202):
                    self.acknowledged.append(answer.json["id"])
                    return
                assert answer.status in (429, 500, 503, 507), answer
            except OSError:
                pass
            time.sleep(0.1)


@pytest.fixture
def clients(embedded: Embedded) -> Clients:
    clients = Clients(seed())
    print(f"FAULT_SEED={clients.seed}")
    with embedded.up("--no-demo") as (_, site):
        organiser = embedded.organiser(site)
        clients.slugs = [organiser.create_challenge(**fields) for fields in CHALLENGES]
        clients.site.token = organiser.token
    return clients


@pytest.fixture
def embedded(tmp_path: Path) -> Embedded:
    return Embedded(tmp_path)


def test_the_server_is_killed_ten_times(embedded: Embedded, clients: Clients) -> None:
    dice = random.Random(clients.seed)
    clients.start()
    for _ in range(KILLS):
        with embedded.up("--no-demo") as (process, site):
            clients.site.port = site.port
            enough = len(clients.acknowledged) + dice.randint(5, 25)
            eventually(lambda: len(clients.acknowledged) >= enough)  # noqa: B023
            members = family(process.pid)
            kill({member for member in members if member.pid == process.pid})
            eventually(lambda: not alive(members))  # noqa: B023
    with embedded.up("--no-demo") as (_, site):
        clients.site.port = site.port
        clients.finish()
        check_everything_ended(embedded, clients, "embedded server killed ten times")


def test_the_database_is_locked(embedded: Embedded, clients: Clients) -> None:
    file = embedded.folder / "var" / "db.sqlite3"
    with embedded.up("--no-demo") as (_, site):
        clients.site.port = site.port
        clients.start()
        eventually(lambda: len(clients.acknowledged) >= 20)
        with closing(sqlite3.connect(file, timeout=90, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            time.sleep(LOCKED_SECONDS)
            other.execute("ROLLBACK")
        enough = len(clients.acknowledged) + 20
        eventually(lambda: len(clients.acknowledged) >= enough)
        clients.finish()
        check_everything_ended(embedded, clients, "SQLite locked for 10 s")


def check_everything_ended(embedded: Embedded, clients: Clients, fault: str) -> None:
    """Check that every acknowledged attempt ends within the promised time, with a right score."""
    began = time.monotonic()
    eventually(lambda: embedded.rows(WAITING) == [(0,)], within=PROMISED_SECONDS)
    took = time.monotonic() - began
    scores = embedded.rows(
        "SELECT replace(attempt.id, '-', ''), attempt.status, max(score.error_code),"
        " count(score.id), max(score.value)"
        " FROM leaderboard_attempt attempt"
        " LEFT JOIN leaderboard_score score ON score.attempt_id = attempt.id GROUP BY attempt.id"
    )
    scored = {attempt for attempt, *_ in scores}
    sent = {attempt.replace("-", "") for attempt in clients.acknowledged}
    assert sent == scored, f"lost or doubled (seed {clients.seed})"
    assert {tuple(ended) for _, *ended, _ in scores} == {("scored", "", 1)}
    assert {value for *_, value in scores} <= {None, 0.0, 100.0}
    for line in embedded.manage("verify_standings").splitlines():
        assert line.endswith(": no differences")
    for line in embedded.manage("verify_log").splitlines():
        assert ": no faults, " in line
    note(fault, attempts=len(scored), seconds=round(took, 1), seed=clients.seed)
