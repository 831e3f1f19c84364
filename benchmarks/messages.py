"""Processor time that an attempt costs a Celery worker and its sandbox, with a message for each
attempt or one for all.

`python -m benchmarks messages[=N]`. The baseline is one message for all attempts, so that the
worker takes one after the other. The database server and Redis are not included.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from unittest.mock import patch

from django.conf import settings

from benchmarks.cost import FACTS
from benchmarks.parts import measure
from benchmarks.parts.crowd import fill, make_challenge
from benchmarks.parts.measure import spent_by
from benchmarks.parts.report import Line, Table
from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.standings.counting import rebuild_standings
from tests.processes import family, running

ROUNDS = 4
WARM = 10
SECONDS_PER_LOOK = 0.004
ONE_FOR_ALL = "one message for all"
COMMAND = ("-m", "celery", "-A", "leaderboard.celery", "worker", "--concurrency", "1")


def run(*, attempts: int = 300) -> Table:
    """Return a table for attempts by new participants, on a board of twenty times as many."""
    challenge = make_challenge("Messages")
    fill(challenge, participants=10 * attempts, attempts=20 * attempts)
    rebuild_standings(challenge)
    with _worker() as pid:
        sender = _Sender(challenge, pid)
        sender.all_at_once(WARM)
        ways = {
            ONE_FOR_ALL: sender.with_one_message,
            "a message for each, sent at once": sender.all_at_once,
            "a message for each, sent when the one before is scored": sender.one_after_another,
        }
        rounds = [
            {what: sender.spent(way, attempts) for what, way in ways.items()}
            for _ in range(min(ROUNDS, measure.most_rounds))
        ]
    spent = {what: median(by_way[what] for by_way in rounds) for what in ways}
    lines = [
        Line(what, f"{milliseconds:.2f} ms", f"{milliseconds / spent[ONE_FOR_ALL]:.2f}")
        for what, milliseconds in spent.items()
    ]
    return Table("Processor time of an attempt in a Celery worker (postgresql)", lines)


class _Sender:
    """Submits attempts of new participants, and waits until the worker has scored them."""

    def __init__(self, challenge: Challenge, worker: int) -> None:
        self._challenge = challenge
        self._worker = worker
        self._user = User.objects.get(username="bench")
        self._numbers = count()

    def spent(self, way: Callable[[int], None], attempts: int) -> float:
        """Milliseconds that the worker, its processes and its sandboxes spend on each attempt."""
        before = self._used()
        way(attempts)
        return (self._used() - before) / attempts

    def with_one_message(self, attempts: int) -> None:
        with patch.object(queue, "_send", lambda *_: True):
            for _ in range(attempts):
                self._submit()
        queue.notify_workers()
        self._wait()

    def all_at_once(self, attempts: int) -> None:
        for _ in range(attempts):
            self._submit()
        self._wait()

    def one_after_another(self, attempts: int) -> None:
        for _ in range(attempts):
            self._submit()
            self._wait()

    def _submit(self) -> None:
        new = NewAttempt(f"sender {next(self._numbers)}", FACTS)
        submit_attempt(challenge=self._challenge, user=self._user, new=new)

    def _wait(self) -> None:
        while Attempt.objects.unfinished().exists():
            time.sleep(SECONDS_PER_LOOK)

    def _used(self) -> float:
        return spent_by(member.pid for member in family(self._worker))


@contextmanager
def _worker() -> Iterator[int]:
    """The id of a worker with one process."""
    log = Path(settings.DATA_DIR, "worker.log")
    with running([sys.executable, *COMMAND], os.environ, log) as process:
        yield process.pid
