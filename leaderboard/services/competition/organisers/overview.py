"""What happens in a challenge now and in the last days, for its organisers.

The numbers are counted when the page is opened, at most once a minute: a stored count per day would
be changed by each attempt, and be wrong after a change of the time zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django.core.cache import cache
from django.db.models import Case, Count, F, IntegerField, Min, Q, Value, When, Window
from django.db.models.functions import RowNumber

from leaderboard.models import Attempt, Challenge, Phase, Score
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import waiting_in
from leaderboard.services.competition.quotas.charging import extra_of_each
from leaderboard.services.competition.quotas.errors import NAMES
from leaderboard.services.competition.quotas.periods import ENDLESS, limits_of, local_day
from leaderboard.services.competition.quotas.state import CurrentPhase, current_phase
from leaderboard.services.competition.quotas.use_counters import uses_of

DAYS: Final = 30
ATTEMPTS_SHOWN: Final = 3
"""How many attempts are named for each code of a failure."""
MOST_FULL: Final = 50
"""How many participants at a limit are named; all are counted."""
SECONDS_KEPT: Final = 60
"""How long the numbers of the last days are cached, because counting reads all attempts of these
days.
"""


class DayCount(NamedTuple):
    """A calendar day in the zone of the phase."""

    day: date
    attempts: int
    participants: int


class Failed(NamedTuple):
    """An attempt that failed."""

    attempt: UUID
    participant: str


class FailureCount(NamedTuple):
    """How often attempts failed with a code, and the newest ones."""

    code: str
    attempts: int
    newest: Sequence[Failed]


class LastDays(NamedTuple):
    """The last 30 days, today included. counted_at: these numbers are up to a minute old."""

    days: Sequence[DayCount]
    failures: Sequence[FailureCount]
    counted_at: datetime


class Waiting(NamedTuple):
    """The numbers of waiting attempts. held: those that wait for an organiser, because code has
    changed. since: the time of the oldest.
    """

    queued: int
    scoring: int
    held: int
    since: datetime | None
    registrations: int


class AtLimit(NamedTuple):
    """A participant who has used up a limit, by the name of the limit in the API."""

    participant: str
    slug: str
    quota: str
    used: int
    limit: int


class Overview(NamedTuple):
    """at_limit: today, this week, or in the phase that matters now; the first of them by name.

    full: how many used up limits there are, one or more for each participant.
    """

    now: CurrentPhase
    last: LastDays
    waiting: Waiting
    at_limit: Sequence[AtLimit]
    full: int


def overview(challenge: Challenge) -> Overview:
    """The overview for organisers; the number of statements does not depend on rows."""
    moment = received_now()
    now = current_phase(challenge, moment)
    at_limit, full = _at_limit(now.phase, moment) if now.phase.has_limits else ([], 0)
    last, waiting = _last_days(challenge, now.phase, moment), _waiting(challenge)
    return Overview(now, last, waiting, at_limit, full)


def _last_days(challenge: Challenge, phase: Phase, moment: datetime) -> LastDays:
    key = f"overview:{challenge.pk}:{phase.time_zone}"
    if kept := cache.get(key):
        return _from_plain(kept)
    days = _boundaries(phase, moment)
    last_days = LastDays(
        _days(challenge, days), _failures(challenge, next(iter(days.values()))), moment
    )
    cache.set(key, _as_plain(last_days), SECONDS_KEPT)
    return last_days


def _as_plain(last_days: LastDays) -> list[Any]:
    """The numbers as the cache stores them."""
    days = [[day.day.isoformat(), day.attempts, day.participants] for day in last_days.days]
    failures = [
        [
            failure.code,
            failure.attempts,
            [[str(attempt), participant] for attempt, participant in failure.newest],
        ]
        for failure in last_days.failures
    ]
    return [days, failures, last_days.counted_at.isoformat()]


def _from_plain(kept: list[Any]) -> LastDays:
    days, failures, counted_at = kept
    return LastDays(
        [DayCount(date.fromisoformat(day), *counts) for day, *counts in days],
        [
            FailureCount(code, attempts, [Failed(UUID(pk), name) for pk, name in newest])
            for code, attempts, newest in failures
        ],
        datetime.fromisoformat(counted_at),
    )


def _boundaries(phase: Phase, moment: datetime) -> dict[date, datetime]:
    """The last days with their first moments; a day may have 23 or 25 hours."""
    today, zone = local_day(phase, moment), ZoneInfo(phase.time_zone)
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    return {day: datetime.combine(day, time(), zone).astimezone(UTC) for day in days}


def _days(challenge: Challenge, days: dict[date, datetime]) -> Sequence[DayCount]:
    starts = list(days.values())
    cases = [
        When(submitted_at__lt=after, then=Value(place)) for place, after in enumerate(starts[1:])
    ]
    place = Case(*cases, default=Value(DAYS - 1), output_field=IntegerField())
    mine = Attempt.objects.filter(challenge=challenge, submitted_at__gte=starts[0])
    mine = mine.without_sample(challenge).order_by()
    counts: dict[int, tuple[int, int]] = {
        place: (attempts, participants)
        for place, attempts, participants in mine.annotate(place=place)
        .values("place")
        .annotate(attempts=Count("pk"), participants=Count("participant", distinct=True))
        .values_list("place", "attempts", "participants")
    }
    return [DayCount(day, *counts.get(place, (0, 0))) for place, day in enumerate(days)]


def _failures(challenge: Challenge, since: datetime) -> Sequence[FailureCount]:
    """By code, the most frequent first."""
    failed = Score.objects.filter(
        ~Q(error_code=""),
        config=F("attempt__scoring_config"),
        attempt__challenge=challenge,
        attempt__submitted_at__gte=since,
    ).annotate(
        place=Window(
            RowNumber(),
            partition_by=F("error_code"),
            order_by=[F("attempt__submitted_at").desc(), F("attempt_id").desc()],
        ),
        count=Window(Count("pk"), partition_by=F("error_code")),
    )
    if challenge.sample_id is not None:
        failed = failed.exclude(attempt=challenge.sample_id)
    rows = failed.filter(place__lte=ATTEMPTS_SHOWN).order_by("-count", "error_code", "place")
    newest_by_failure: dict[tuple[str, int], list[Failed]] = {}
    for score in rows.select_related("attempt__participant").only(
        "error_code", "attempt__participant__handle", "attempt__participant__name"
    ):
        row: Any = score
        failed_attempt = Failed(score.attempt_id, score.attempt.participant.shown_name)
        newest_by_failure.setdefault((score.error_code, row.count), []).append(failed_attempt)
    return [
        FailureCount(code, count, newest) for (code, count), newest in newest_by_failure.items()
    ]


def _waiting(challenge: Challenge) -> Waiting:
    counts = (
        Attempt.objects.unfinished()
        .filter(challenge=challenge)
        .without_sample(challenge)
        .aggregate(
            queued=Count("pk", filter=Q(status=Attempt.Status.QUEUED)),
            scoring=Count("pk", filter=Q(status=Attempt.Status.SCORING)),
            since=Min("queued_at"),
        )
    )
    held = Attempt.objects.held().filter(challenge=challenge)
    return Waiting(**counts, held=held.count(), registrations=waiting_in(challenge))


def _at_limit(phase: Phase, moment: datetime) -> tuple[Sequence[AtLimit], int]:
    """The first who have used up a limit, by name, and how many there are in all.

    Extra attempts of grants count. One statement finds, counts and sorts them.
    """
    limits = [limit for limit in limits_of(phase, local_day(phase, moment)) if limit.most < ENDLESS]
    if not limits:
        return [], 0
    most = Case(*[When(kind=limit.kind, then=Value(limit.most)) for limit in limits])
    full = (
        uses_of(phase, limits)
        .annotate(most=most + extra_of_each(phase, moment))
        .filter(used__gte=F("most"))
        .annotate(total=Window(Count("pk")))
        .select_related("participant")
        .order_by("participant__handle", "kind")[:MOST_FULL]
    )
    rows = list(full)
    at_limit = [
        AtLimit(
            row.participant.shown_name,
            row.participant.slug,
            NAMES[row.kind],
            row.used,
            row.most,
        )
        for row in rows
    ]
    return at_limit, rows[0].total if rows else 0
