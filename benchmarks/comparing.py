"""What a score costs on a board with a mean win rate, which compares all participants again.

`python -m benchmarks comparing[=N]`, on SQLite and on PostgreSQL, for N participants.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from django.db import connection, transaction

from benchmarks.parts.crowd import fill
from benchmarks.parts.measure import side_by_side
from benchmarks.parts.report import Line, Table
from leaderboard.models import Attempt, Challenge, Tenant
from leaderboard.services.board.standings.counting import rebuild_standings, recount
from leaderboard.services.challenges.challenges import create_challenge

VALUES = [f"scenario-{number}" for number in range(16)]
ROUNDS = 25


def run(*, attempts: int = 1000) -> Table:
    """Return one table for the database of the Django settings."""
    lines = [line for size in (attempts // 10, attempts) for line in _lines(size)]
    return Table(f"Counting one score on {connection.vendor}", lines)


def _lines(size: int) -> Iterator[Line]:
    compared = _board(size, {"type": "mean_win_rate", "name": "win", "of": VALUES}, "win")
    plain = _board(size, "mean", VALUES[0])
    one, other = side_by_side(_counting(compared), _counting(plain), rounds=ROUNDS)
    what = f"{size} participants, {len(VALUES)} values"
    yield Line(f"{what}, ranked by mean_win_rate", str(one), f"{one.p50 / other.p50:.1f} ×")
    yield Line(f"{what}, ranked by one of them", str(other), "1")


def _board(size: int, metric: object, first: str) -> Challenge:
    """Make a board on which each participant has one attempt with all values."""
    dice = random.Random(size)
    tenant, _ = Tenant.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    fields = {
        "name": f"Compare {size} {first}",
        "scoring_strategy": "metric",
        "metrics": [metric],
        "values": VALUES,
        "rank_by": [{"key": first}, {"key": VALUES[1]}],
    }
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    fill(challenge, participants=size, attempts=size)
    attempts = list(Attempt.objects.filter(challenge=challenge))
    for attempt in attempts:
        attempt.values = {name: round(dice.random(), 3) for name in VALUES}
    Attempt.objects.bulk_update(attempts, ["values"], batch_size=200)
    rebuild_standings(challenge)
    return challenge


def _counting(challenge: Challenge) -> Callable[[], None]:
    """Return a call that gives one participant new values and updates the standings."""
    dice = random.Random(7)
    attempts = list(Attempt.objects.filter(challenge=challenge).values_list("pk", "participant"))

    def count() -> None:
        pk, participant = dice.choice(attempts)
        values = {name: round(dice.random(), 3) for name in VALUES}
        with transaction.atomic():
            Challenge.objects.lock_boards(challenge.pk)
            Attempt.objects.filter(pk=pk).update(values=values)
            recount(challenge.shown, participant)

    return count
