"""Places in the queue: the order of one tenant's attempts, and how many may wait.

Each attempt gets a `due_at` when it arrives: now, or `SPACING` after the last waiting one of its
participant, whichever is later. In this order participants take turns, however many attempts one of
them sends, and no attempt waits for ever: later attempts are due later in the end.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, cast

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.translation import gettext

from leaderboard.models import Attempt
from leaderboard.models.clock import moment, now_sql
from leaderboard.services.errors import ServiceError

SPACING = timedelta(seconds=10)
"""How much later each attempt of a participant is due than the one before it."""

RETRY_AFTER = 60
"""Seconds after which a refused client may try again."""

_WAITING: Final = """
    SELECT participant_id, MAX(due_at), COUNT(*) FROM leaderboard_attempt
    WHERE status IN ('queued', 'scoring') AND priority = %s AND participant_id {among}
    GROUP BY participant_id
    UNION ALL SELECT 0, {now}, {tenant}
"""
_AMONG: Final = {"postgresql": "= ANY(%s)", "sqlite": "IN (SELECT value FROM json_each(%s))"}
_OF_TENANT: Final = """(SELECT COUNT(*) FROM (
    SELECT 1 FROM leaderboard_attempt WHERE status IN ('queued', 'scoring')
    AND instance_count IS {null} AND tenant_id = %s AND priority = 0 LIMIT %s
) AS counted)"""
_ALL_OF_TENANT: Final = " + ".join(_OF_TENANT.format(null=each) for each in ("NULL", "NOT NULL"))
_TENANT: Final = 0
"""Stands for the tenant among ids of participants; no row has this id."""


class Places:
    """Places for new attempts of one priority that one request brings, in any number of
    transactions.

    limited_in: the tenant whose limits apply to them.
    """

    def __init__(
        self,
        priority: Attempt.Priority = Attempt.Priority.FRESH,
        *,
        limited_in: int | None = None,
    ) -> None:
        self.priority = priority
        self._limited_in = limited_in
        self._now: datetime | None = None
        self._last: dict[int, datetime] = {}
        self._waiting: Counter[int] = Counter()

    def due_times(
        self, participants: Sequence[int], *, new: Collection[int] = ()
    ) -> list[datetime]:
        """When attempts of these participants are due, one for each, in their order.

        `participants` are ids, one of them as often as it has attempts; no attempt of those that
        are `new` waits yet. Runs at most one statement, whatever their number. Call it in the
        transaction that saves the attempts. Raises ServiceError (`throttled`) if too many would
        wait.
        """
        unknown = set(participants) - self._last.keys() - set(new)
        if unknown or self._now is None:
            self._read(unknown)
        if self._limited_in is not None:
            self._add_within_limits(Counter(participants))
        now = cast("datetime", self._now)
        times = []
        for participant in participants:
            last = self._last.get(participant)
            due = now if last is None else max(now, last + SPACING)
            self._last[participant] = due
            times.append(due)
        return times

    def _add_within_limits(self, more: Counter[int]) -> None:
        """Raise ServiceError (`throttled`) if too many attempts would wait; else count them.

        Simultaneous requests do not see one another, so slightly more may wait.
        """
        together = self._waiting + more + Counter({_TENANT: more.total()})
        if together[_TENANT] > settings.MAX_WAITING_TENANT:
            raise _throttled(
                gettext(
                    "At most {limit} attempts of an organisation may wait to be scored. "
                    "Try again in a while."
                ).format(limit=settings.MAX_WAITING_TENANT)
            )
        if any(together[participant] > settings.MAX_WAITING for participant in more):
            raise _throttled(
                gettext(
                    "At most {limit} attempts of a participant may wait to be scored. "
                    "Try again in a while."
                ).format(limit=settings.MAX_WAITING)
            )
        self._waiting = together

    def _read(self, participants: set[int]) -> None:
        """Read the time, and for each participant and the tenant how many attempts wait and when
        the last one is due.
        """
        connection = connections[DEFAULT_DB_ALIAS]
        ids: Any = sorted(participants)
        if connection.vendor == "sqlite":
            ids = json.dumps(ids)
        limit: list[Any] = [self._limited_in, settings.MAX_WAITING_TENANT] * 2
        tenant = _ALL_OF_TENANT
        if self._limited_in is None:
            limit, tenant = [], "0"
        among = _AMONG[connection.vendor]
        with connection.cursor() as cursor:
            cursor.execute(
                _WAITING.format(among=among, now=now_sql(), tenant=tenant),
                [int(self.priority), ids, *limit],
            )
            found = {one: (moment(due), number) for one, due, number in cursor.fetchall()}
        self._now, self._waiting[_TENANT] = found.pop(_TENANT)
        for participant, (last_due, number) in found.items():
            self._last[participant], self._waiting[participant] = last_due, number


def _throttled(text: str) -> ServiceError:
    refused = ServiceError("throttled", text)
    refused.retry_after = RETRY_AFTER
    return refused
