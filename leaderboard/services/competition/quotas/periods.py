"""Calendar days, weeks and months in the zone of a phase, and the limits that apply to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from leaderboard.models import Phase
from leaderboard.models.quota import DAY, MONTH, TOTAL, WEEK

ENDLESS: Final = 2**30
"""The value for no limit: such a counter is only locked while waiting attempts are counted."""


class QuotaLimit(NamedTuple):
    """How many attempts a participant may make in one period; kind and period as in QuotaUse."""

    kind: str
    period: str
    most: int


def local_day(phase: Phase, moment: datetime) -> date:
    """The calendar day of a moment in the zone of the phase."""
    return moment.astimezone(ZoneInfo(phase.time_zone)).date()


def limits_of(phase: Phase, day: date) -> Sequence[QuotaLimit]:
    """The limits for attempts on a day, by kind; an empty list if the phase has no limits."""
    total = phase.total
    if total is None and phase.at_once is not None:
        total = ENDLESS
    limits = (
        (DAY, phase.per_day),
        (MONTH, phase.per_month),
        (TOTAL, total),
        (WEEK, phase.per_week),
    )
    return [
        QuotaLimit(kind, period_of(kind, day), most) for kind, most in limits if most is not None
    ]


def period_of(kind: str, day: date) -> str:
    """The period that a day belongs to."""
    if kind == DAY:
        return day.isoformat()
    if kind == MONTH:
        return f"{day:%Y-%m}"
    if kind == WEEK:
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return ""


def end_of(phase: Phase, kind: str, day: date) -> datetime | None:
    """The first moment after the period of a day in which the phase is still open; else None."""
    if kind == TOTAL:
        return None
    try:
        after = datetime.combine(_day_after(kind, day), time(), ZoneInfo(phase.time_zone))
        end = after.astimezone(UTC)
    except OverflowError:
        return None
    return end if phase.closes_at is None or end < phase.closes_at else None


def _day_after(kind: str, day: date) -> date:
    """The first day after the period of a day. Raises OverflowError."""
    if kind == MONTH:
        return (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return day + timedelta(days=1 if kind == DAY else 7 - day.weekday())
