"""The position of a waiting attempt in the queue, and when a worker may begin with it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.models import Attempt
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.clock import now_sql
from leaderboard.services.scoring.rate import scoring_delay, scoring_rate
from leaderboard.services.scoring.unfinished import LENGTHS, READY, TENANTS, Length

MOST = 1000
"""At most this many earlier attempts of the same tenant are counted."""
MOST_OF_OTHERS = 100
"""At most this many attempts of each other tenant are counted."""

_TURN: Final = "COALESCE({tenant}.served_at, '0001-01-01'), {tenant}.id"
"""The tenant with the smallest of these has the next turn, as in `next_claim`."""
_OF_OTHERS: Final = """{tenants}
    SELECT SUM(CASE WHEN number = %s AND NOT is_earlier THEN number - 1 ELSE number END) FROM (
        SELECT ({turn}) < ({own_turn}) AS is_earlier, (SELECT COUNT(*) FROM (
            SELECT 1 FROM leaderboard_attempt
            WHERE {length} AND tenant_id = waiting.id AND {ready} LIMIT %s
        ) AS counted) AS number
        FROM waiting JOIN leaderboard_tenant other ON other.id = waiting.id
        JOIN leaderboard_tenant own ON own.id = %s AND own.id <> other.id
    ) AS others
"""


class QueuePosition(NamedTuple):
    """The place of an attempt in the queue. position: within its tenant, from 1.

    ahead: how many attempts of all tenants begin before it. is_least: there may be more.
    expected_start: by the rate of the last minutes, after those and the rest of one that is being
    scored; None if nothing was scored then or no worker runs.
    """

    position: int
    ahead: int
    is_least: bool
    expected_start: datetime | None


def place_of(attempt: Attempt) -> QueuePosition | None:
    """The place of an attempt, None unless it waits for a worker.

    Short and long attempts wait separately.
    """
    if attempt.status != Attempt.Status.QUEUED:
        return None
    is_long = attempt.instance_count is not None
    before = _before(attempt, is_long)
    rounds = min(before + 1, MOST_OF_OTHERS)
    ahead = before + _of_others(attempt.tenant_id, "long" if is_long else "short", rounds)
    is_least = before == MOST or rounds < before + 1
    rate = scoring_rate(long=is_long, priority=Attempt.Priority(attempt.priority))
    start = None
    if rate and _works():
        start = timezone.now() + timedelta(seconds=(ahead + _rest(is_long)) / rate)
    return QueuePosition(before + 1, ahead, is_least, start)


def _rest(is_long: bool) -> float:
    """What is left of the attempts that are being scored until the first one ends.

    In units of the time between two ends: half of it for one attempt, two thirds for two, which
    end twice as often and of which the first one ends after a third of its time.
    """
    leased = Attempt.objects.leased().filter(instance_count__isnull=not is_long)
    running = leased.filter(lease_until__gte=Now()).count()
    return running / (running + 1)


def _works() -> bool:
    """Whether a worker runs, as far as is known."""
    delay = scoring_delay()
    return delay is None or delay.works


def _before(attempt: Attempt, is_long: bool) -> int:
    """The number of earlier attempts of its tenant, counted in two ranges of the index."""
    tenant = Attempt.objects.unfinished().filter(
        Q(lease_until=None) | Q(lease_until__lt=Now()),
        tenant=attempt.tenant_id,
        instance_count__isnull=not is_long,
    )
    count = _counted(tenant.filter(priority=attempt.priority, due_at__lt=attempt.due_at))
    if attempt.priority != Attempt.Priority.FRESH:
        count += _counted(tenant.filter(priority=Attempt.Priority.FRESH))
    return min(count, MOST)


def _counted(attempts: AttemptQuerySet) -> int:
    return attempts.order_by("due_at")[:MOST].count()


def _of_others(tenant_id: int, length: Length, rounds: int) -> int:
    """How many attempts of other tenants begin before the last of `rounds` of this tenant.

    A tenant that was served after this one has one turn less.
    """
    of = LENGTHS[length]
    statement = _OF_OTHERS.format(
        tenants=TENANTS.format(length=of),
        length=of,
        ready=READY.format(now=now_sql()),
        turn=_TURN.format(tenant="other"),
        own_turn=_TURN.format(tenant="own"),
    )
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(statement, [rounds, rounds, tenant_id])
        (count,) = cursor.fetchone() or (None,)
    return int(count or 0)
