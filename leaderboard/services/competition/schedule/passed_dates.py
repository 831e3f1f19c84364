"""Writes into the log that a phase has opened or closed, once for each date that passes.

Nothing happens at such a moment, so workers look for dates that have passed. After a pause of all
servers they find those that passed meanwhile. Dates from before the log began are not written.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from leaderboard.models import Event, Phase
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.competition.clock import iso, received_now
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.one_by_one import one_by_one
from leaderboard.services.transactions import retried


class _Border(NamedTuple):
    """A border of phases. logged: the field with the date of which the log has the event."""

    kind: EventKind
    date: str
    logged: str


_OPENING: Final = _Border(EventKind.OPENED, "opens_at", "opening_logged")
_CLOSING: Final = _Border(EventKind.CLOSED, "closes_at", "closing_logged")


def record_passed_dates() -> int:
    """Write the events of all dates that have passed since the last call; returns how many.

    The event has the moment in its body, and the time at which it was written. A phase has closed
    when its grace is over. A date that is moved, and then passes, has an event of its own.
    """
    now = received_now()
    passed = [(phase, _OPENING) for phase in _passed(_OPENING, now)]
    passed += [(phase, _CLOSING) for phase in _passed(_CLOSING, now) if phase.has_ended(now)]
    return sum(one_by_one(lambda border: retried(partial(_record, *border)), passed))


def _passed(border: _Border, now: datetime) -> QuerySet[Phase]:
    """The phases with a date that has passed, of which the log does not say so yet."""
    date = border.date
    first = Event.objects.filter(challenge=OuterRef("challenge"), seq=1)
    in_log = Q(Exists(first.filter(at__lte=OuterRef(date)))) | Q(
        challenge__event_log__seq=0, challenge__event_log__at__lte=F(date)
    )
    new = Q(**{border.logged: None}) | ~Q(**{border.logged: F(date)})
    return Phase.objects.filter(in_log, new, **{f"{date}__lte": now}).order_by(date, "pk")


def _record(phase: Phase, border: _Border) -> bool:
    """Write one event, unless another worker has, or the date has been moved meanwhile."""
    date = getattr(phase, border.date)
    same = Phase.objects.filter(**{"pk": phase.pk, border.date: date})
    # Other workers wait for the row, and then find nothing to change.
    if not same.filter(Q(**{border.logged: None}) | ~Q(**{border.logged: date})).update(
        **{border.logged: date}
    ):
        return False
    moment = phase.ended_at if border is _CLOSING else phase.opens_at
    body: JsonObject = {"phase": phase.slug, "moment": iso(moment) if moment else None}
    record_event(phase.challenge_id, border.kind, body)
    return True
