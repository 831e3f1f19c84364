"""How fast attempts have been scored in the last minutes, and whether scoring is delayed."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from django.core.cache import cache
from django.db import Error
from django.db.models import Exists, Subquery
from django.db.models.functions import Now

from leaderboard.models import Attempt, Worker
from leaderboard.services.board.reading.state import STATE, BoardState, open_boards, open_state
from leaderboard.services.operations.health import (
    oldest_left,
    oldest_waiting,
    oldest_waiting_seconds,
    seconds_between,
)
from leaderboard.services.operations.status import is_delayed
from leaderboard.services.operations.workers import alive_within

WINDOW = timedelta(minutes=5)
SHORTEST = timedelta(seconds=3)
"""The shortest time over which a rate is measured."""
KEPT_SECONDS = 10
RESTRICTED = "config__challenge__is_restricted"
RATE_KEPT_SECONDS = 5
"""How long a rate is cached: short, because it changes quickly when a queue begins. A rate of 0 is
not cached."""


class Delay(NamedTuple):
    """New attempts will not be scored soon.

    `seconds`: how long the first attempt in the queue has waited. `works`: whether a worker is
    alive.
    """

    seconds: float
    works: bool


def scoring_rate(*, long: bool, priority: Attempt.Priority = Attempt.Priority.FRESH) -> float:
    """Attempts finished per second in the last minutes while some waited.

    Counts attempts of the priority and of higher ones, but no withdrawn ones, because cancelled
    attempts take no time. long: count attempts with instances instead of the others. The answer is
    cached for some seconds.
    """
    key = f"scoring-rate:{'long' if long else 'short'}:{int(priority)}"
    rate = cache.get(key)
    if rate is None:
        rate = _measured(long, priority)
        if rate:
            cache.set(key, rate, RATE_KEPT_SECONDS)
    return float(rate)


def scoring_delay() -> Delay | None:
    """The delay of new attempts as `services.operations.status` judges it; None without delay.

    The answer is cached for some seconds. An unavailable database does not count as a delay.
    """
    delay = cache.get("scoring-delay")
    if delay is None:
        delay = _delay()
        cache.set("scoring-delay", delay, KEPT_SECONDS)
    return Delay(*delay) if delay else None


def state_and_delay(slug: str) -> tuple[BoardState, Delay | None] | None:
    """The state of an open board and the delay, with one SQL statement; None as for `open_state`.

    The delay is cached for all clients, so that only one request every few seconds queries both.
    """
    delay = cache.get("scoring-delay")
    if delay is not None:
        state = open_state(slug)
        return (state, Delay(*delay) if delay else None) if state else None
    rows = open_boards(slug).annotate(
        works=Exists(Worker.objects.alive(alive_within())),
        waits_since=Subquery(oldest_waiting().values("queued_at")[:1]),
        left_since=Subquery(oldest_left().values("lease_until")[:1]),
        now=Now(),
    )
    those = list(rows.values_list(*STATE, RESTRICTED, "works", "waits_since", "left_since", "now"))
    if not those:
        return None
    *state, restricted, works, queued, left, now = those[0]
    waited = (seconds_between(now, since) for since in (queued, left) if since is not None)
    delay = _judged(max(waited, default=None), works=works)
    cache.set("scoring-delay", delay, KEPT_SECONDS)
    if restricted or len(those) > 1:
        return None
    return BoardState(*state), Delay(*delay) if delay else None


def forget_delay() -> None:
    """Delete the cached delay, because a worker has started."""
    cache.delete("scoring-delay")


def _measured(long: bool, priority: Attempt.Priority) -> float:
    queued = Attempt.objects.queued().filter(priority=priority, instance_count__isnull=not long)
    queued = queued.order_by("queued_at")
    first = queued.annotate(now=Now()).values_list("queued_at", "now").first()
    if first is None:
        return 0.0
    since, now = first
    busy = min(WINDOW, max(SHORTEST, now - since))
    ended = Attempt.objects.filter(
        priority__lte=priority,
        finished_at__gt=now - busy,
        instance_count__isnull=not long,
        withdrawn_at=None,
    )
    return ended.count() / busy.total_seconds()


def _delay() -> tuple[float, bool] | tuple[()]:
    try:
        works = Worker.objects.alive(alive_within()).exists()
        waited = oldest_waiting_seconds()
    except Error:
        return ()
    return _judged(waited, works=works)


def _judged(waited: float | None, *, works: bool) -> tuple[float, bool] | tuple[()]:
    """The delay in its cached form: empty while nothing is delayed."""
    return (waited or 0.0, works) if is_delayed(waited, works=works) else ()
