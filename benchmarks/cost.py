"""CPU time that an attempt costs in the worker's process and in the sandbox's processes.

`python -m benchmarks cost[=N]`. Celery and the database server are not included. The
baseline does the same with the bare driver: it inserts a row, calls the scorer in a fork of this
process, and updates the row.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from statistics import median
from typing import Any
from unittest.mock import patch

import psycopg
from django.db import connection

from benchmarks.parts.crowd import fill, make_challenge
from benchmarks.parts.measure import spent_by
from benchmarks.parts.report import Line, Table
from benchmarks.scoring import CTX, METRICS
from leaderboard.messages import queue
from leaderboard.models import User
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.board.standings.counting import rebuild_standings
from leaderboard.services.scoring import single
from scorers.weighted import WeightedScorer
from tests.processes import family

ROUNDS = 8
WARM = 10
FACTS = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8}
MADE = "CREATE TABLE bare_attempt (id INTEGER PRIMARY KEY, tokens INTEGER, score FLOAT)"


def run(*, attempts: int = 800) -> Table:
    """Return a table for attempts by new participants, one at a time, on a board of 20 times as
    many.
    """
    per_round = max(attempts // ROUNDS, 1)
    challenge = make_challenge("Cost")
    fill(challenge, participants=10 * attempts, attempts=20 * attempts)
    rebuild_standings(challenge)
    user = User.objects.get(username="bench")
    news = [NewAttempt(f"new {at}", FACTS) for at in range(ROUNDS * per_round + WARM)]
    with patch.object(queue, "_send", lambda *_: True):
        submit_many(challenge=challenge, user=user, news=news, organiser=False)
    _score(WARM)
    by_hand = _by_hand()
    rounds = [(_spent(by_hand, per_round), *_scored(per_round)) for _ in range(ROUNDS)]
    assert challenge.attempts.filter(status="queued").count() == 0
    bare, worker, sandbox = (median(column) for column in zip(*rounds, strict=True))

    def line(what: str, spent: float) -> Line:
        return Line(what, f"{spent:.2f} ms", f"{spent / bare:.2f}")

    lines = [
        line("by hand: INSERT, the scorer in a fork, UPDATE", bare),
        line("the worker's process", worker),
        line("the sandbox's processes", sandbox),
        line("together", worker + sandbox),
    ]
    return Table(f"Processor time of an attempt ({connection.vendor})", lines)


def _score(count: int) -> None:
    for _ in range(count):
        assert single.score_next()


def _scored(count: int) -> tuple[float, float]:
    """CPU milliseconds for each of some attempts: of this process, and of the processes it
    started."""
    before = _of_sandboxes()
    worker = _spent(_score, count)
    return worker, (_of_sandboxes() - before) / count


def _spent(work: Callable[[int], None], count: int) -> float:
    """CPU milliseconds for each attempt of this process and of the children that it has waited
    for."""
    before = _used()
    work(count)
    return (_used() - before) / count


def _used() -> float:
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return 1000 * (own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime)


def _of_sandboxes() -> float:
    """CPU milliseconds of all living descendants, and of their children that have ended."""
    ours = {member.pid for member in family(os.getpid())} - {os.getpid()}
    return spent_by(ours)


def _by_hand() -> Callable[[int], None]:
    execute = _bare_driver()
    execute(MADE, [])
    mark = "?" if connection.vendor == "sqlite" else "%s"
    scorer = WeightedScorer()
    number = 0

    def work(count: int) -> None:
        nonlocal number
        for _ in range(count):
            number += 1
            execute(f"INSERT INTO bare_attempt VALUES ({mark}, 1500, NULL)", [number])
            child = os.fork()
            if child == 0:
                os._exit(scorer.score(METRICS, {}, CTX)["score"] < 0)
            assert os.waitpid(child, 0)[1] == 0
            execute(f"UPDATE bare_attempt SET score = 1 WHERE id = {mark}", [number])

    return work


def _bare_driver() -> Callable[[str, list[Any]], object]:
    connection.ensure_connection()
    driver: Any = connection.connection
    if connection.vendor == "sqlite":
        return lambda sql, values: driver.execute(sql, values)
    bare = psycopg.connect(driver.info.dsn, password=driver.info.password, autocommit=True)
    return lambda sql, values: bare.execute(sql, values)
