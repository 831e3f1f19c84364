"""Turns events of the logs into notices, once for each user whom they concern.

Numbers of events have no gaps, so one number says up to which event all users have been told.
Results of attempts are only told to those who may see them, so not behind a freeze.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Min

from leaderboard.models import Attempt, Challenge, Event, EventLog, Phase, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.choices import NoticeKind, RegistrationStatus
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import MOMENTS, organisers_of
from leaderboard.services.competition.visible.viewers import Viewer, access_of
from leaderboard.services.events.record import EventKind
from leaderboard.services.notices.concerned import members_of, takers_of, without_senders
from leaderboard.services.notices.making import NewNotice, save_notices
from leaderboard.services.notices.ranks import tell_of_lost_ranks
from leaderboard.services.one_by_one import one_by_one

AT_ONCE: Final = 500
"""How many events one transaction reads."""
SECONDS_AT_ONCE: Final = 2.0
"""How long a worker reads the log of one challenge before it does other work."""
_RESULTS: Final = (EventKind.SCORED, EventKind.FAILED)
_DECISIONS: Final = (
    *(EventKind.ACCEPTED, EventKind.RETURNED, EventKind.JUDGED, EventKind.RULED),
    *(EventKind.ANSWERED, EventKind.UNDONE, EventKind.DECIDED),
    *(EventKind.DISQUALIFIED, EventKind.REINSTATED),
)
_FOR_ALL: Final = {
    EventKind.ANNOUNCEMENT: "announced",
    EventKind.OPENED: "opened",
    EventKind.CLOSED: "closed",
    **dict.fromkeys((EventKind.PHASE, EventKind.FREEZE, EventKind.REVEAL), "moved"),
}
_TO_DECIDE: Final = (EventKind.REGISTERED, EventKind.APPEALED)
WHAT: Final = {
    **{kind: str(kind.label) for kind in (*_RESULTS, *_DECISIONS, *_TO_DECIDE)},
    **_FOR_ALL,
}
"""The events that somebody is told of."""


def relay_notices() -> int:
    """Make the notices of everything that nobody has been told of yet; returns how many."""
    behind = EventLog.objects.filter(seq__gt=F("relayed")).values_list("pk", "relayed", "seq")
    made = sum(one_by_one(lambda log: _relay(*log), list(behind)))
    return made + _tell_of_held() + tell_of_lost_ranks()


def _relay(challenge_id: UUID, relayed: int, seq: int) -> int:
    """Make the notices of one log, for some seconds; the next call continues."""
    end, made = time.monotonic() + SECONDS_AT_ONCE, 0
    while relayed < seq and time.monotonic() < end:
        made += _relay_one(challenge_id, relayed, seq)
        relayed += AT_ONCE
    return made


def _relay_one(challenge_id: UUID, relayed: int, seq: int) -> int:
    until = min(seq, relayed + AT_ONCE)
    events = Event.objects.filter(challenge=challenge_id, seq__gt=relayed, seq__lte=until)
    some = list(events.filter(kind__in=list(WHAT)).order_by("seq"))
    new = list(_notices(Challenge.objects.get(pk=challenge_id), some)) if some else []
    with transaction.atomic():
        made = save_notices(challenge_id, new, received_now()) if new else 0
        # Last, because who adds to the log waits for this row.
        if not EventLog.objects.filter(pk=challenge_id, relayed=relayed).update(relayed=until):
            transaction.set_rollback(True)  # another worker has told them
            return 0
    return made


def _notices(challenge: Challenge, events: Sequence[Event]) -> Iterator[NewNotice]:
    yield from _of_members(challenge, [event for event in events if event.kind in _RESULTS])
    yield from _of_members(challenge, [event for event in events if event.kind in _DECISIONS])
    if for_all := list(_of_all(challenge, [event for event in events if event.kind in _FOR_ALL])):
        takers = takers_of(challenge.pk)
        yield from (notice._replace(users=takers) for notice in for_all)
    waiting = [event for event in events if event.kind in _TO_DECIDE and _waits(event)]
    users = [user.pk for user in organisers_of(challenge)] if waiting else []
    for kind, run in groupby(waiting, key=lambda event: event.kind):
        yield _of_run(challenge, NoticeKind.WAITING, EventKind(kind), list(run), users)


def _of_members(challenge: Challenge, events: Sequence[Event]) -> Iterator[NewNotice]:
    """Notices for members of participants; the results of a participant in a row make one."""
    if not events:
        return
    about = {event.participant_id for event in events if event.participant_id}
    users = members_of(challenge.pk, about)
    if events[0].kind in _RESULTS:
        users = without_senders(challenge.pk, users)
    by_user: dict[tuple[int, int], list[Event]] = {}
    for event in events:
        for user in users.get(event.participant_id or 0, ()):
            by_user.setdefault((user, event.kind), []).append(event)
    for (user, kind), some in by_user.items():
        if kind in _RESULTS:
            if visible := _visible(challenge, user, some):
                yield _of_run(challenge, NoticeKind.ATTEMPTS, EventKind(kind), visible, [user])
        elif kind == EventKind.JUDGED:  # one change of rules may concern many attempts
            yield _of_run(challenge, NoticeKind.DECISIONS, EventKind(kind), some, [user])
        else:
            for event in some:
                yield _of_run(challenge, NoticeKind.DECISIONS, EventKind(kind), [event], [user])


def _visible(challenge: Challenge, user: int, events: Sequence[Event]) -> list[Event]:
    """The events of results that a user may see now."""
    if not challenge.is_restricted:
        return list(events)
    access = access_of(challenge, Viewer(user=User.objects.get(pk=user), organises=True))
    ids = {json.loads(event.body)["attempt"]: event for event in events}
    return [
        ids[str(attempt.pk)]
        for attempt in Attempt.objects.filter(pk__in=ids).order_by("submitted_at", "pk")
        if access.sees_score(attempt)
    ]


def _of_run(
    challenge: Challenge,
    kind: NoticeKind,
    event_kind: EventKind,
    events: Sequence[Event],
    users: Iterable[int],
) -> NewNotice:
    last = json.loads(events[-1].body)
    body: JsonObject = {"count": len(events)}
    body |= {name: last[name] for name in ("attempt", "status") if name in last}
    key = f"{challenge.pk.hex}:{events[-1].seq}"
    return NewNotice(users, key, kind, WHAT[event_kind], body)


def _of_all(challenge: Challenge, events: Sequence[Event]) -> Iterator[NewNotice]:
    """Notices for all who take part, without these."""
    names = dict(Phase.objects.filter(challenge=challenge).values_list("slug", "name"))
    for event in events:
        about, what = json.loads(event.body), WHAT[EventKind(event.kind)]
        key = f"{challenge.pk.hex}:{event.seq}"
        if what == "announced":
            if about["change"] == "new" and event.secret:
                body: JsonObject = {"title": json.loads(event.secret)["title"]}
                yield NewNotice((), key, NoticeKind.ANNOUNCEMENTS, what, body)
        elif what != "moved" or (about["change"] == "changed" and MOMENTS.keys() & about["after"]):
            phase = about["phase"]
            body = {"phase": names.get(phase) or phase}
            yield NewNotice((), key, NoticeKind.DATES, what, body)


def _waits(event: Event) -> bool:
    """Whether organisers have to decide about an event."""
    is_pending = json.loads(event.body).get("status") == RegistrationStatus.PENDING
    return event.kind == EventKind.APPEALED or is_pending


def _tell_of_held() -> int:
    """Tell organisers of attempts that wait because code has changed: once, until none waits."""
    made = 0
    held = Attempt.objects.held().values("challenge").order_by("challenge")
    for row in held.annotate(first=Min("submitted_at")):
        challenge = Challenge.objects.get(pk=row["challenge"])
        key = f"held:{challenge.pk.hex}:{row['first'].timestamp():.6f}"
        users = organisers_of(challenge).exclude(notices__key=key)
        new = NewNotice([user.pk for user in users], key, NoticeKind.HELD, "held", {})
        made += save_notices(challenge.pk, [new], received_now()) if new.users else 0
    return made
