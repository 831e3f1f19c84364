"""Makes notices for the users who want them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django.core.cache import cache
from django.db import transaction

from leaderboard.models import Challenge, Notice, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.schemas.choices import NoticeKind, NoticeWay

MORNING: Final = 8
"""The hour at which daily mail is due, in the zone of its reader."""
MAILED_ELSEWHERE: Final = (
    *("moved", "decided", "disqualified", "reinstated", "returned", "accepted"),
    *("registered", "appealed"),
)
"""What `competition.mail.decisions` has sent a mail of, to those who want it at once."""


class NewNotice(NamedTuple):
    """Something to tell some users of. users: their ids. The others are fields of `Notice`."""

    users: Iterable[int]
    key: str
    kind: NoticeKind
    what: str
    body: JsonObject


def save_notices(challenge: UUID, new: Sequence[NewNotice], now: datetime) -> int:
    """Save notices for those who want them; a notice that a user has already is left as it is.

    Returns how many were to be saved.
    """
    wanted = {user for notice in new for user in notice.users}
    users = {user.pk: user for user in User.objects.filter(pk__in=wanted, is_active=True)}
    rows = [
        Notice(
            user=user,
            challenge_id=challenge,
            key=notice.key,
            kind=notice.kind,
            what=notice.what,
            body=notice.body,
            mail_at=_mail_at(user, notice, now),
        )
        for notice in new
        for user in (users[pk] for pk in notice.users if pk in users)
        if user.way_of(notice.kind, challenge) is not NoticeWay.OFF
    ]
    # Notices have a foreign key to the challenge. Transactions lock a challenge before its parts.
    Challenge.objects.lock_challenge_shared(challenge)
    Notice.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    transaction.on_commit(partial(forget_counts, {row.user_id for row in rows}))
    return len(rows)


def forget_counts(users: Iterable[int]) -> None:
    """Let the bells of some users be counted anew."""
    cache.delete_many([count_key(user) for user in users])


def count_key(user: int) -> str:
    """The key of the cache for the number at the bell of a user."""
    return f"unread:{user}"


def _mail_at(user: User, notice: NewNotice, now: datetime) -> datetime | None:
    way = user.way_of(notice.kind)
    if way is NoticeWay.DAILY:
        return next_morning(now, user.time_zone or "UTC")
    return now if way is NoticeWay.NOW and notice.what not in MAILED_ELSEWHERE else None


def next_morning(now: datetime, zone: str) -> datetime:
    """The next time at which daily mail is due in a zone."""
    local = now.astimezone(ZoneInfo(zone))
    morning = local.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    return morning if morning > local else morning + timedelta(days=1)
