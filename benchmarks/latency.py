"""How long a single attempt takes from its request to its score, on a server started by `up`.

`python -m benchmarks latency[=N]`, where N is how many each client submits.

The baseline is `/healthz` on the same server: what HTTP and Django take to do nothing. A second
baseline is a plain loop without a server: it inserts a row, calls the scorer in the same process
and updates the row, in two transactions on the same kind of database.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple
from uuid import UUID

from django.conf import settings

from benchmarks.parts.crowd import WEIGHTED
from benchmarks.parts.report import Line, Table
from benchmarks.parts.server import embedded_server
from benchmarks.scoring import CTX, METRICS
from leaderboard.models import Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.tokens import create_token
from scorers.weighted import WeightedScorer
from tests.processes import Site

CLIENTS = 4
WARM = 5
SECONDS_PER_LOOK = 0.001
SENT = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8}


class Spent(NamedTuple):
    """Milliseconds from the request to the 202, and to the score."""

    taken: float
    scored: float


def run(*, attempts: int = 200) -> Table:
    """Return one table for the embedded server on SQLite."""
    slug, token = _prepared()
    bare = _bare_loop(attempts)
    with embedded_server(token) as (site, _):
        names = map("participant {}".format, count())
        for _ in range(WARM):
            _sent(site, slug, next(names))
        alive = [_milliseconds(lambda: site.ask("GET", "/healthz")) for _ in range(attempts)]
        one = [_sent(site, slug, next(names)) for _ in range(attempts)]
        read = [_read(site, slug, next(names)) for _ in range(attempts)]
        with ThreadPoolExecutor(CLIENTS) as pool:
            every = [next(names) for _ in range(attempts * CLIENTS)]
            several = list(pool.map(lambda name: _sent(site, slug, name), every))
    base = _median(alive)

    def line(what: str, spent: list[float]) -> Line:
        ninety_five = quantiles(spent, n=20)[-1]
        figure = f"{_median(spent):.2f} ms (95 %: {ninety_five:.2f})"
        return Line(what, figure, f"{_median(spent) / base:.2f}")

    lines = [
        line("`/healthz` over HTTP", alive),
        line("an INSERT, the scorer called, an UPDATE, by hand", bare),
        line("one client, until the 202", [spent.taken for spent in one]),
        line("one client, until the score is stored", [spent.scored for spent in one]),
        line("one client, until it reads the score over HTTP", read),
        line(f"{CLIENTS} clients at once, until the 202", [spent.taken for spent in several]),
        line(f"{CLIENTS} clients, until the score is stored", [spent.scored for spent in several]),
    ]
    return Table(f"Submitted to scored, {attempts} attempts of each client", lines)


def _prepared() -> tuple[str, str]:
    """Return the slug of a new challenge, and a token that may submit to it."""
    tenant = Tenant.objects.create(slug="bench", name="Bench")
    user = User.objects.create_user("bench")
    challenge = create_challenge(tenant=tenant, user=user, fields={"name": "Latency", **WEIGHTED})
    return challenge.slug, create_token(user=user, scopes=["submit", "read"])[1]


def _bare_loop(attempts: int) -> list[float]:
    """Milliseconds for each attempt of a plain loop on a separate database file."""
    file = Path(settings.DATA_DIR, "bare.sqlite3")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("CREATE TABLE attempt (id PRIMARY KEY, tokens, score)")

        def once(number: int) -> None:
            connection.execute("INSERT INTO attempt VALUES (?, 1500, NULL)", [number])
            score = WeightedScorer().score(METRICS, {}, CTX)["score"]
            connection.execute("UPDATE attempt SET score = ? WHERE id = ?", [score, number])

        return [_milliseconds(partial(once, number)) for number in range(attempts)]


def _sent(site: Site, slug: str, participant: str) -> Spent:
    """Submit an attempt, and poll the database for its score: polling the server would load it."""
    start = time.perf_counter()
    attempt_id = site.submit(slug, participant, **SENT)
    taken = time.perf_counter()
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as connection:
        key = [UUID(attempt_id).hex]
        look = "SELECT status FROM leaderboard_attempt WHERE id = ?"
        while (status := connection.execute(look, key).fetchone()[0]) != "scored":
            assert status != "failed"
            time.sleep(SECONDS_PER_LOOK)
    return Spent((taken - start) * 1000, (time.perf_counter() - start) * 1000)


def _read(site: Site, slug: str, participant: str) -> float:
    """Milliseconds until a client has read the score by polling the API."""

    def once() -> None:
        attempt_id = site.submit(slug, participant, **SENT)
        while site.attempt(attempt_id)["status"] != "scored":
            time.sleep(SECONDS_PER_LOOK)

    return _milliseconds(once)


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def _median(milliseconds: list[float]) -> float:
    return quantiles(milliseconds, n=2)[0]
