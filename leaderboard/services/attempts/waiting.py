"""Places in the queue: the order of one tenant's attempts, and how many may wait.

Held attempts, which wait for an organiser, have no place in the queue, but count among those that
wait: they are queued again, all at once and in new places, when the organiser decides.

Each attempt gets a `due_at` when it arrives: the time of its tenant's queue, or `SPACING` after the
last waiting one of its participant, whichever is later. In this order participants take turns,
however many attempts one of them sends, and no attempt waits for ever: later attempts are due later
in the end.

The time of the queue is the time of the clock, unless the first waiting attempt was due long ago.
Then it follows that attempt: otherwise a participant with one attempt would wait for everything
that others are owed since then.

The limits count participants and tenants, not users: programs of a course submit for many
participants with one account, and a count by user would need another index, which every attempt
would write three times. The defaults let a bulk of 10 000 lines into an empty queue; operators of
public sites set lower ones. Organisers are exempt, and the history that they import is not counted.
Simultaneous requests do not see one another's attempts, so a request that comes near a limit takes
a lock of its tenant in PostgreSQL and counts again. A bulk that fills the last places may exceed
the limit a little.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.translation import gettext

from leaderboard.models import Attempt
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.clock import moment, now_sql
from leaderboard.services.errors import ServiceError

SPACING = timedelta(seconds=10)
"""How much later each attempt of a participant is due than the one before it."""

SPACING_OF_LINES: Final = timedelta(seconds=0.1)
"""How much later each attempt of one request is due than the one before, of any participant.
Otherwise a bulk of a thousand participants would be due at once, before any other attempt."""

OVERDUE: Final = 1000
"""How many times slower than the clock the time of a queue runs beyond `SPACING` after its first
attempt. It must not stand still, because attempts that arrive later are due later."""

RETRY_AFTER = 60
"""Seconds after which a refused client may try again."""

AT_ONCE: Final = 64
"""How many requests may arrive at the same time. If fewer requests like this one fit below a limit,
it waits for the others of its tenant before it counts."""

_HOLD: Final = "SELECT pg_advisory_xact_lock(%s, %s)"
_HOLDS_PLACES: Final = 0x706F6469
"""The first number of our advisory locks; the second one stands for the tenant."""

_WAITING: Final = """
    SELECT participant_id, MAX(due_at), COUNT(*) FROM leaderboard_attempt
    WHERE status IN ('queued', 'scoring') AND priority = %s AND participant_id {among}
    GROUP BY participant_id
    UNION ALL SELECT participant_id, NULL, COUNT(*) FROM leaderboard_attempt
    WHERE status = 'held' AND tenant_id = %s AND priority = %s AND participant_id {among}
    GROUP BY participant_id
    UNION ALL SELECT {is_now}, {now}, {tenant}
    UNION ALL SELECT {is_short}, ({first_short}), 0
    UNION ALL SELECT {is_long}, ({first_long}), 0
"""
_FIRST: Final = """
    SELECT due_at FROM leaderboard_attempt
    WHERE status IN ('queued', 'scoring') AND status = 'queued' AND instance_count IS {null}
    AND tenant_id = %s AND priority = %s ORDER BY priority, due_at LIMIT 1
"""
"""The condition on both statuses is that of the index."""
_AMONG: Final = {"postgresql": "= ANY(%s)", "sqlite": "IN (SELECT value FROM json_each(%s))"}
_OF_TENANT: Final = """(SELECT COUNT(*) FROM (
    SELECT 1 FROM leaderboard_attempt WHERE status IN ('queued', 'scoring')
    AND instance_count IS {null} AND tenant_id = %s AND priority = 0 LIMIT %s
) AS counted)"""
_HELD_OF_TENANT: Final = """(SELECT COUNT(*) FROM (
    SELECT 1 FROM leaderboard_attempt
    WHERE status = 'held' AND tenant_id = %s AND priority = 0 LIMIT %s
) AS counted)"""
_ALL_OF_TENANT: Final = " + ".join(
    [*(_OF_TENANT.format(null=condition) for condition in ("NULL", "NOT NULL")), _HELD_OF_TENANT]
)
_TENANT, _SHORT, _LONG = 0, -1, -2
"""Stand for the tenant, and for its first short and long attempts, among ids of participants."""


def queue_time(now: datetime, first: datetime | None) -> datetime:
    """When an attempt that arrives now is due, in a queue whose first attempt was due at `first`.

    The later of two arrivals is due later, also while the first attempt stays the same.
    """
    if first is None or now <= first + SPACING:
        return now
    return first + SPACING + (now - first - SPACING) / OVERDUE


class QueuePlaces:
    """Assigns queue places to new attempts of one request, all of one tenant and priority.

    The request may save them in several transactions.

    is_limited: whether the limits of waiting attempts apply to them.
    """

    def __init__(
        self,
        tenant: int,
        priority: Attempt.Priority = Attempt.Priority.FRESH,
        *,
        is_limited: bool = False,
    ) -> None:
        self.priority = priority
        self._tenant = tenant
        self._is_limited = is_limited
        self._placed = 0
        self._times: tuple[datetime, datetime] | None = None
        self._last: dict[int, datetime] = {}
        self._waiting: Counter[int] = Counter()

    def copy(self) -> QueuePlaces:
        """The same places, which this request goes on with if its transaction is rolled back."""
        places = copy(self)
        places._last, places._waiting = dict(self._last), Counter(self._waiting)
        return places

    def hold(self, participants: Sequence[int], *, new: Collection[int] = ()) -> None:
        """Count what waits, before attempts of these participants are placed: see `due_times`.

        Simultaneous requests do not see one another. So if a limit is near, on PostgreSQL this
        waits until no other request of the tenant adds attempts, and counts again. Other requests
        wait until the end of the transaction. Call it before quotas are charged, as everywhere:
        otherwise two requests could wait for one another. On SQLite transactions that write wait
        for one another anyway.
        """
        self._read_unknown(participants, new)
        connection = connections[DEFAULT_DB_ALIAS]
        if connection.vendor != "postgresql" or not self._is_near(Counter(participants)):
            return
        with connection.cursor() as cursor:
            cursor.execute(_HOLD, [_HOLDS_PLACES, self._tenant % (1 << 31)])
        self._times = self._read(set(participants) - set(new))

    def full(self, participants: Sequence[int]) -> set[int]:
        """Those of whom too many attempts would wait with these; call `hold` before.

        participants: as of `due_times`.
        """
        if not self._is_limited:
            return set()
        more = Counter(participants)
        return {pk for pk, n in more.items() if _is_full(self._waiting[pk] + n)}

    def due_times(
        self,
        participants: Sequence[int],
        *,
        new: Collection[int] = (),
        long: Collection[int] = (),
    ) -> list[datetime]:
        """When attempts of these participants are due, one for each, in their order.

        `participants` are ids, one of them as often as it has attempts; no attempt of those that
        are `new` waits yet. long: the positions of attempts with instances. Runs at most one
        statement, whatever their number. Call it in the transaction that saves the attempts. Raises
        ServiceError (`throttled`) if too many would wait.
        """
        of_short, of_long = self._read_unknown(participants, new)
        if self._is_limited:
            self._add_within_limits(Counter(participants))
        times = []
        for position, participant in enumerate(participants):
            now = of_long if position in long else of_short
            now += self._placed * SPACING_OF_LINES
            self._placed += 1
            last = self._last.get(participant)
            due = now if last is None else max(now, last + SPACING)
            self._last[participant] = due
            times.append(due)
        return times

    def _add_within_limits(self, more: Counter[int]) -> None:
        """Raise ServiceError (`throttled`) if too many attempts would wait; else count them."""
        together = self._waiting + more + Counter({_TENANT: more.total()})
        if _exceeds(together[_TENANT], settings.MAX_WAITING_TENANT):
            raise _throttled(
                gettext(
                    "At most {limit} attempts of an organisation may wait to be scored. "
                    "Try again in a while."
                ).format(limit=settings.MAX_WAITING_TENANT)
            )
        if any(_is_full(together[participant]) for participant in more):
            raise participant_is_full()
        self._waiting = together

    def _is_near(self, more: Counter[int]) -> bool:
        """Whether other requests at the same time could exceed a limit together with this one."""
        if not self._is_limited:
            return False
        waiting = self._waiting
        if _exceeds(waiting[_TENANT] + AT_ONCE * more.total(), settings.MAX_WAITING_TENANT):
            return True
        return any(_is_full(waiting[pk] + AT_ONCE * n) for pk, n in more.items())

    def _read_unknown(
        self, participants: Sequence[int], new: Collection[int]
    ) -> tuple[datetime, datetime]:
        """Return the times of both queues; read those and participants if they are not known."""
        known_ids = self._last.keys() | self._waiting.keys()
        unknown = set(participants) - known_ids - set(new)
        if unknown or self._times is None:
            self._times = self._read(unknown)
        return self._times

    def _read(self, participants: set[int]) -> tuple[datetime, datetime]:
        """Return the times of both queues, and keep how many attempts of each participant and of
        the tenant wait, and when the last one of each participant is due.
        """
        connection = connections[DEFAULT_DB_ALIAS]
        ids: Any = sorted(participants)
        if connection.vendor == "sqlite":
            ids = json.dumps(ids)
        most = settings.MAX_WAITING_TENANT
        is_counted = self._is_limited and most is not None
        limit: list[Any] = [self._tenant, most] * 3
        first: list[Any] = [self._tenant, int(self.priority)] * 2
        statement = _statement(connection.vendor, tenant_is_counted=is_counted)
        with connection.cursor() as cursor:
            those = [int(self.priority), ids]
            counted = limit if is_counted else []
            cursor.execute(statement, [*those, self._tenant, *those, *counted, *first])
            rows = cursor.fetchall()
        numbers: Counter[int] = Counter()
        for participant, _, number in rows:
            numbers[participant] += number
        times = {participant: moment(due) for participant, due, _ in rows if due is not None}
        now = times.pop(_TENANT)
        short, long = (times.pop(key, None) for key in (_SHORT, _LONG))
        for participant in (_TENANT, *participants):
            self._waiting[participant] = numbers[participant]
        self._last.update(times)
        return queue_time(now, short), queue_time(now, long)


def place_anew(attempts: AttemptQuerySet) -> None:
    """Give attempts of one tenant places in the queue as if they arrived now, in their order.

    For attempts that have not waited for a worker: in their old places all of them would come
    before attempts that wait. Call it in the transaction that queues them afterwards.
    """
    queues: defaultdict[tuple[int, int], list[tuple[int, _Moved]]] = defaultdict(list)
    rounds: Counter[tuple[int, int]] = Counter()
    columns = ("pk", "participant", "instance_count", "tenant", "priority")
    for *columns_of_attempt, tenant, priority in attempts.order_by("due_at", "pk").values_list(
        *columns
    ):
        one = _Moved(*columns_of_attempt)
        rounds[priority, one.participant] += 1
        queues[tenant, priority].append((rounds[priority, one.participant], one))
    for (tenant, priority), moved in sorted(queues.items()):
        # Everybody's first attempt comes before anybody's second.
        those = [one for _, one in sorted(moved, key=itemgetter(0))]
        long = {at for at, one in enumerate(those) if one.instance_count is not None}
        places = QueuePlaces(tenant, Attempt.Priority(priority))
        times = places.due_times([one.participant for one in those], long=long)
        _move({one.pk: due_at for one, due_at in zip(those, times, strict=True)})


class _Moved(NamedTuple):
    """What `place_anew` needs of an attempt."""

    pk: UUID
    participant: int
    instance_count: int | None


def _move(due_times: Mapping[UUID, datetime]) -> None:
    connection = connections[DEFAULT_DB_ALIAS]
    adapt, ids = connection.ops.adapt_datetimefield_value, Attempt._meta.pk
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE leaderboard_attempt SET due_at = %s WHERE id = %s",
            [
                (adapt(due_at), ids.get_db_prep_value(pk, connection))
                for pk, due_at in due_times.items()
            ],
        )


def participant_is_full() -> ServiceError:
    """The error (`throttled`) for more attempts of a participant than may wait."""
    return _throttled(
        gettext(
            "At most {limit} attempts of a participant may wait to be scored. Try again in a while."
        ).format(limit=settings.MAX_WAITING)
    )


def _is_full(number: int) -> bool:
    return _exceeds(number, settings.MAX_WAITING)


def _exceeds(number: int, limit: int | None) -> bool:
    return limit is not None and number > limit


def _statement(vendor: str, *, tenant_is_counted: bool) -> str:
    return _WAITING.format(
        among=_AMONG[vendor],
        now=now_sql(),
        tenant=_ALL_OF_TENANT if tenant_is_counted else "0",
        is_now=_TENANT,
        is_short=_SHORT,
        is_long=_LONG,
        first_short=_FIRST.format(null="NULL"),
        first_long=_FIRST.format(null="NOT NULL"),
    )


def _throttled(text: str) -> ServiceError:
    refused = ServiceError("throttled", text)
    refused.retry_after = RETRY_AFTER
    return refused
