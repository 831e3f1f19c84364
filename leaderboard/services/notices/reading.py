"""The notices of a user: counted, read, switched off, and forgotten after some months."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.core.cache import cache
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from leaderboard.models import Challenge, Notice, User
from leaderboard.rules.ids import least_id
from leaderboard.schemas.choices import NoticeKind, NoticeWay
from leaderboard.schemas.notices import READ_NOTICES
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.outbox import ALL, unsubscribed
from leaderboard.services.errors import validated
from leaderboard.services.notices.making import count_key, forget_counts

KEPT: Final = timedelta(days=90)
COUNT_SECONDS: Final = 60
MOST_COUNTED: Final = 100
LENGTH_OF_HEX: Final = 32


def unread_count(user: User) -> int:
    """How many notices a user has not read, up to `MOST_COUNTED`; a minute old at most."""
    key = count_key(user.pk)
    count: int | None = cache.get(key)
    if count is None:
        count = notices_of(user).filter(read_at=None)[:MOST_COUNTED].count()
        cache.set(key, count, COUNT_SECONDS)
    return count


def notices_of(user: User) -> QuerySet[Notice]:
    """All notices of a user, with their challenges."""
    return Notice.objects.filter(user=user).select_related("challenge")


def mark_read(user: User, ids: Collection[UUID] | None = None, *, tenant: int | None = None) -> int:
    """Mark notices of a user as read. Returns how many were unread.

    ids: None for all. tenant: only those of its challenges; None: of all tenants.
    """
    unread = Notice.objects.filter(user=user, read_at=None)
    if tenant is not None:
        unread = unread.filter(challenge__tenant=tenant)
    if ids is not None:
        unread = unread.filter(pk__in=ids)
    count = unread.update(read_at=Now())
    forget_counts([user.pk])
    return count


def read_notices(user: User, fields: object, *, tenant: int | None = None) -> int:
    """Mark notices as read. fields: as in `ReadNotices`. Raises ServiceError.

    tenant: as of `mark_read`.
    """
    wanted = validated(READ_NOTICES, fields)
    return mark_read(user, wanted.ids, tenant=tenant)


def switch_mail_off(token: str) -> bool:
    """Do what a link of a mail asks for: no mail of its kind. False if it is not genuine."""
    about = unsubscribed(token)
    user = User.objects.filter(pk=about[0]).first() if about else None
    if about is None or user is None:
        return False
    kinds = list(NoticeKind) if about[1] == ALL else [NoticeKind(about[1])]
    by_mail = (NoticeWay.NOW, NoticeWay.DAILY)
    off = {kind.value: NoticeWay.PAGE.value for kind in kinds if user.way_of(kind) in by_mail}
    user.notice_ways = {**user.notice_ways, **off}
    user.save(update_fields=["notice_ways"])
    Notice.objects.filter(user=user, kind__in=off).update(mail_at=None)
    return True


def told_challenges(user: User) -> QuerySet[Challenge]:
    """The challenges of which a user has notices, or wants to hear nothing."""
    with_notices = Notice.objects.filter(user=user).values("challenge")
    return Challenge.objects.filter(Q(pk__in=with_notices) | Q(pk__in=muted_by(user))).order_by(
        "name"
    )


def muted_by(user: User) -> list[UUID]:
    """The challenges of which a user wants to hear nothing."""
    return [UUID(name) for name in user.notice_ways if len(name) == LENGTH_OF_HEX]


def choose_ways(
    user: User, ways: Mapping[NoticeKind, NoticeWay], muted: Collection[UUID], time_zone: str
) -> None:
    """Save how a user is told of what, and of which challenges not at all."""
    user.time_zone = time_zone
    user.notice_ways = {
        **{kind.value: way.value for kind, way in ways.items()},
        **{challenge.hex: NoticeWay.OFF.value for challenge in muted},
    }
    user.save(update_fields=["notice_ways", "time_zone"])
    Notice.objects.filter(user=user, challenge__in=muted).update(mail_at=None)


def forget_old_notices() -> int:
    """Delete the notices that are older than `KEPT`; returns how many."""
    return Notice.objects.filter(pk__lt=least_id(received_now() - KEPT)).delete()[0]
