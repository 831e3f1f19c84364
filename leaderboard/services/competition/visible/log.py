"""The log of a challenge, as far as a reader may know it.

The public reads it up to the first moment from which a phase hides something: a log without the
events of a frozen phase would tell by its gaps, or by its end, that there are some.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from django.utils import timezone

from leaderboard.models import Challenge, Event
from leaderboard.models.event import EventQuerySet
from leaderboard.rules.event_chain import written_at
from leaderboard.rules.visibility.view import EVERYTHING
from leaderboard.services.competition.visible.viewers import view_of_anyone

BEGINNING: Final = datetime.min.replace(tzinfo=UTC)


def public_events(challenge: Challenge) -> EventQuerySet:
    """The events of a challenge that anyone may know who may open it, in their order."""
    events = all_events(challenge)
    if not challenge.is_restricted:
        return events
    hidden = list(_hidden_since(challenge))
    return events.filter(at__lt=min(hidden)) if hidden else events


def all_events(challenge: Challenge) -> EventQuerySet:
    """The whole log, for organisers and reviewers."""
    return Event.objects.filter(challenge=challenge).order_by("seq")


def log_line(event: Event) -> str:
    """An event as a line of JSON. The body is last, with the very text that is hashed."""
    return (
        f'{{"seq":{event.seq},"at":"{written_at(event.at)}","kind":"{event.code}",'
        f'"blind":"{bytes(event.blind).hex()}","link":"{bytes(event.link).hex()}",'
        f'"body":{event.body}}}\n'
    )


def _hidden_since(challenge: Challenge) -> Iterator[datetime]:
    """The moments from which phases hide something from the public now.

    A phase that hides more than a freeze does so from the beginning, as organisers may send
    attempts before it opens.
    """
    now = timezone.now()
    for phase in challenge.phases.all():
        view = view_of_anyone(phase, now)
        if view._replace(notes=EVERYTHING.notes) != EVERYTHING:
            yield BEGINNING
        elif phase.is_frozen(now) and phase.freezes_at is not None:
            yield phase.freezes_at
