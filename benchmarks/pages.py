"""What pages of a board cost in process, beside a page without a board.

`python -m benchmarks pages[=N]`, for N rows of twelve columns, each with the strip of its tasks,
intervals and the course of two attempts. Caches are emptied before each page, so that it is made.
"""

from __future__ import annotations

import gzip
import random
from typing import Final
from urllib.parse import urlencode

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.parts.measure import timed
from benchmarks.parts.report import Line, Table
from leaderboard.models import Challenge, Participant, Tenant, User
from leaderboard.pages.board.section import KEPT
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring.single import score_waiting

METRICS: Final = [f"metric-{at}" for at in range(11)]
TASKS: Final = 20
ATTEMPTS: Final = 2
ROUNDS: Final = 9


def run(*, attempts: int = 100) -> Table:
    """Return one table for the database of the Django settings. attempts: how many rows."""
    settings.ALLOWED_HOSTS = ["testserver"]
    challenge = made_board(attempts)
    client, base = Client(), 0.0
    lines = []
    for what, address in _addresses(challenge):
        spent = timed(lambda address=address: _made(client, address), rounds=ROUNDS, warm=1)
        base = base or spent.p50
        with CaptureQueriesContext(connection) as queries:
            html = _made(client, address)
        size = len(gzip.compress(html, 6)) / 1000
        figure = f"{spent}, {size:.1f} kB compressed, {len(queries)} queries"
        lines.append(Line(what, figure, f"{spent.p50 / base:.1f}"))
    return Table(f"Pages of a board of {attempts} rows, {connection.vendor}", lines)


def _addresses(challenge: Challenge) -> list[tuple[str, str]]:
    """Each page with its address; the first one is the baseline."""
    board = f"/c/{challenge.slug}/"
    names = Participant.objects.filter(tenant=challenge.tenant_id).order_by("pk")
    pair = urlencode([("p", name) for name in names.values_list("slug", flat=True)[:2]])
    return [
        ("the page about this site", "/about/"),
        ("the board, 50 rows", board),
        ("the board, all rows", f"{board}?rows=all"),
        ("two rows compared", f"{board}compare/?{pair}"),
        ("the trade-off of two columns", f"{board}tradeoff/"),
        ("the picture of all tasks", f"{board}tasks/"),
        ("other weights tried", f"{board}what-if/"),
    ]


def _made(client: Client, address: str) -> bytes:
    cache.clear()
    KEPT.clear()
    answer = client.get(address)
    assert answer.status_code == 200, f"{address}: {answer.status_code}"
    return bytes(answer.content)


def made_board(rows: int) -> Challenge:
    """A board of that many rows with strips of tasks, intervals and courses."""
    tenant, _ = Tenant.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    user, _ = User.objects.get_or_create(username="bench")
    fields = {
        "name": "Pages",
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean", "name": name, "reward": name} for name in METRICS],
        "rank_by": [{"key": METRICS[0]}],
    }
    challenge = create_challenge(tenant=tenant, user=user, fields=fields)
    dice = random.Random(1)
    for at in range(rows * ATTEMPTS):
        samples = [
            Sample(f"task {task}", 0, {name: dice.random() for name in METRICS})
            for task in range(TASKS)
        ]
        new = NewAttempt(participant=f"entry {at % rows}", samples=samples)
        submit_attempt(challenge=challenge, user=user, new=new)
    while score_waiting():
        pass
    look_after_certainty()
    return challenge
