"""What phases and quotas add to a submission.

`python -m benchmarks quotas[=N]`. The same participants submit to a challenge that
declares nothing and to one with dates and all four limits, in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import count
from unittest.mock import patch

from django.db import connection

from benchmarks.parts.crowd import make_challenge
from benchmarks.parts.measure import side_by_side
from benchmarks.parts.report import Line, Table
from leaderboard.messages import queue
from leaderboard.models import Challenge, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.clock import iso, received_now
from leaderboard.services.competition.quotas.recount import verify_quotas

PARTICIPANTS = 50
FACTS = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8}
DAY = timedelta(days=1)


def run(*, attempts: int = 1000) -> Table:
    """Return a table for single submissions of 50 participants."""
    plain, limited = make_challenge("Plain"), make_challenge("Limited")
    users = [User.objects.create(username=f"bench{at}") for at in range(PARTICIPANTS)]
    now, most = received_now(), attempts * 10
    phase = {
        "opens_at": iso(now - DAY),
        "closes_at": iso(now + DAY),
        "time_zone": "Europe/Berlin",
        "per_day": most,
        "per_week": most,
        "total": most,
        "at_once": most,
    }
    change_challenge(limited, user=users[0], fields={"phases": [phase]})
    limited.refresh_from_db()
    with patch.object(queue, "_send", lambda *_: True):
        without, with_both = side_by_side(
            _submits(plain, users), _submits(limited, users), rounds=attempts
        )
    assert verify_quotas(limited) == []
    lines = [
        Line("a challenge that declares nothing", str(without), "1"),
        Line("dates and four limits", str(with_both), f"{with_both.p50 / without.p50:.2f}"),
    ]
    return Table(f"A submission with phases and quotas ({connection.vendor})", lines)


def _submits(challenge: Challenge, users: Sequence[User]) -> Callable[[], object]:
    """A call that submits an attempt of the next user, each under one name."""
    numbers = count()

    def submit() -> object:
        at = next(numbers) % len(users)
        return submit_attempt(challenge=challenge, user=users[at], new=NewAttempt(f"p{at}", FACTS))

    return submit
