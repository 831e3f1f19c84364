"""A deadline: 200 participants send attempts over 50 connections until after the phase has closed.

`python -m benchmarks deadline[=N]`, where N is how many attempts are sent: 10 000 if not given.

A web server with two processes and a Celery worker run beside the clients, on PostgreSQL and Redis.
The phase closes in the middle of it and limits each participant. Every answer is compared with
what is stored: the benchmark fails if an accepted attempt is lost, late, or above a limit. The
baseline is `/healthz` over as many connections at the same time.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from benchmarks.parts.report import Line, Table
from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.tokens import create_token
from tests.processes import ROOT, eventually, running
from tests.servers import free_port

PARTICIPANTS = 200
CONNECTIONS = 50
LIMIT = 10
OPEN_FOR = timedelta(seconds=20)
WARM = 500
BODY = {"metrics": {"succeeded": True, "elapsed_ms": 1200, "tokens_total": 300}}


class Answered(NamedTuple):
    """An answer: of which participant, its status, its code, and the milliseconds until it came."""

    participant: int
    status: int
    code: str
    spent: float


def run(*, attempts: int = PARTICIPANTS * CONNECTIONS) -> Table:
    cup, tokens = _prepared()
    with _server() as port:
        alive = _at_once(port, [_healthz] * WARM)
        closes_at = timezone.now() + OPEN_FOR
        phases = [{"closes_at": closes_at.isoformat(), "total": LIMIT}]
        change_challenge(cup, user=None, fields={"phases": phases})
        turns = [_submission(tokens, at % PARTICIPANTS) for at in range(attempts)]
        answers = _at_once(port, turns)
        eventually(lambda: not Attempt.objects.unfinished().exists(), every=0.5, within=600)
    _check(cup, answers)
    base, taken = _percentiles(alive), _percentiles(answers)
    codes = Counter(answer.code for answer in answers)
    return Table(
        f"A deadline, {attempts:,} attempts of {PARTICIPANTS} over {CONNECTIONS} connections",
        [
            _line("`/healthz`, median", base[0], base[0]),
            _line("`/healthz`, 99 %", base[1], base[1]),
            _line("an attempt until the answer, median", taken[0], base[0]),
            _line("an attempt until the answer, 99 %", taken[1], base[1]),
            Line("accepted, all stored and scored", f"{codes['']:,}", ""),
            Line("refused above the limit (`quota`)", f"{codes['quota']:,}", ""),
            Line("refused after the end (`closed`)", f"{codes['closed']:,}", ""),
        ],
    )


def _prepared() -> tuple[Challenge, list[str]]:
    """A challenge, and a token of each participant's user."""
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    fields = {"name": "Cup", "scoring_strategy": "fastest"}
    cup = create_challenge(tenant=tenant, user=None, fields=fields)
    users = [User.objects.create_user(f"u{at}") for at in range(PARTICIPANTS)]
    return cup, [create_token(user=user, scopes=["submit"])[1] for user in users]


@contextmanager
def _server() -> Iterator[int]:
    """Gunicorn and a worker; yields the port once it answers."""
    port, folder = free_port(), Path(settings.DATA_DIR)
    environment = {**os.environ, "PORT": str(port), "WEB_CONCURRENCY": "2"}
    web = [sys.executable, "-m", "gunicorn", "leaderboard.wsgi"]
    worker = [sys.executable, "-m", "celery", "--app", "leaderboard.celery", "worker"]
    worker += ["--concurrency=1", "--loglevel=warning"]
    with (
        running(web, environment, folder / "web.log", cwd=ROOT),
        running(worker, environment, folder / "worker.log", cwd=ROOT),
    ):
        eventually(lambda: _is_up(port), within=60)
        yield port


def _is_up(port: int) -> bool:
    try:
        return _healthz(http.client.HTTPConnection("127.0.0.1", port)).status == 200
    except OSError:
        return False


Turn = Callable[[http.client.HTTPConnection], Answered]


def _at_once(port: int, turns: list[Turn]) -> list[Answered]:
    """The answers to requests that are sent over all connections, each one after the other."""

    def sent(first: int) -> list[Answered]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        return [turn(connection) for turn in turns[first::CONNECTIONS]]

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return [answer for those in pool.map(sent, range(CONNECTIONS)) for answer in those]


def _healthz(connection: http.client.HTTPConnection) -> Answered:
    return _answered(connection, 0, "GET", "/healthz", None, {})


def _submission(tokens: list[str], participant: int) -> Turn:
    body = json.dumps({"participant": f"p{participant}", **BODY})
    headers = {
        "Authorization": f"Bearer {tokens[participant]}",
        "Content-Type": "application/json",
    }
    path = "/api/v1/challenges/cup/attempts/"
    return lambda connection: _answered(connection, participant, "POST", path, body, headers)


def _answered(
    connection: http.client.HTTPConnection,
    participant: int,
    method: str,
    path: str,
    body: str | None,
    headers: dict[str, str],
) -> Answered:
    start = time.perf_counter()
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    spent = (time.perf_counter() - start) * 1000
    code = "" if response.status < 300 else json.loads(text)["error"]["code"]
    return Answered(participant, response.status, code, spent)


def _check(cup: Challenge, answers: list[Answered]) -> None:
    """Compare the answers with what is stored. Raises AssertionError."""
    codes = {answer.code for answer in answers}
    assert codes <= {"", "quota", "closed"}, codes
    stored = Attempt.objects.filter(challenge=cup).select_related("participant", "phase")
    rows = Counter(attempt.participant.handle for attempt in stored)
    accepted = Counter(f"p{answer.participant}" for answer in answers if not answer.code)
    assert rows == accepted, "an accepted attempt is lost, or one is stored twice"
    full = {f"p{answer.participant}" for answer in answers if answer.code == "quota"}
    assert all(rows[name] == LIMIT for name in full), "an attempt below the limit was refused"
    assert max(rows.values()) <= LIMIT, "more attempts than the limit were accepted"
    assert not any(
        attempt.phase is None
        or attempt.phase.closes_at is None
        or attempt.submitted_at >= attempt.phase.closes_at
        for attempt in stored
    ), "a late attempt was accepted"
    assert not stored.exclude(status=Attempt.Status.SCORED).exists(), "an attempt has no score"
    assert verify_standings(cup) == []


def _percentiles(answers: list[Answered]) -> tuple[float, float]:
    """The median and the 99th percentile, in milliseconds."""
    every = quantiles([answer.spent for answer in answers], n=100)
    return every[49], every[98]


def _line(what: str, spent: float, base: float) -> Line:
    return Line(what, f"{spent:.0f} ms", f"{spent / base:.1f}")
