"""Announcements by organisers to everybody who may see the challenge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.models import Announcement, Challenge, User
from leaderboard.schemas.announcements import ANNOUNCEMENT_CHANGE, NEW_ANNOUNCEMENT
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.errors import validated

ON_THE_BOARD: Final = 3


def announcements_of(challenge: Challenge) -> QuerySet[Announcement]:
    """All announcements of a challenge, the newest first."""
    return Announcement.objects.filter(challenge=challenge).select_related("by")


def newest_announcements(challenge: Challenge) -> tuple[Sequence[Announcement], bool]:
    """Those that a board shows, and whether there are more."""
    announcements = list(announcements_of(challenge)[: ON_THE_BOARD + 1])
    return announcements[:ON_THE_BOARD], len(announcements) > ON_THE_BOARD


def announce(challenge: Challenge, fields: object, *, by: User | None) -> Announcement:
    """Make an announcement. fields: as in `NewAnnouncement`. Raises ServiceError."""
    new = validated(NEW_ANNOUNCEMENT, fields)
    with transaction.atomic():
        Challenge.objects.bump(challenge.pk)
        made = Announcement.objects.create(challenge=challenge, by=by, **new.model_dump())
        _record(made, None, _fields_for_log(made), by)
    made.refresh_from_db(fields=["at"])
    return made


def change_announcement(
    announcement: Announcement, fields: object, *, by: User | None
) -> Announcement:
    """Change the fields that are sent, as in `AnnouncementChange`. Raises ServiceError."""
    change = validated(ANNOUNCEMENT_CHANGE, fields)
    with transaction.atomic():
        Challenge.objects.bump(announcement.challenge_id)
        before = _fields_for_log(announcement)
        for name in change.model_fields_set:
            setattr(announcement, name, getattr(change, name))
        if _record(announcement, before, _fields_for_log(announcement), by):
            announcement.changed_at = received_now()
            announcement.save()
    return announcement


def remove_announcement(announcement: Announcement, *, by: User | None) -> None:
    """Delete an announcement; the log keeps its text."""
    with transaction.atomic():
        Challenge.objects.bump(announcement.challenge_id)
        _record(announcement, _fields_for_log(announcement), None, by)
        announcement.delete()


def _fields_for_log(announcement: Announcement) -> dict[str, str]:
    return {"title": announcement.title, "text": announcement.text}


def _record(
    announcement: Announcement,
    before: dict[str, str] | None,
    after: dict[str, str] | None,
    by: User | None,
) -> bool:
    named = (before or after or {})["title"]
    return record(
        announcement.challenge_id,
        AuditKind.ANNOUNCEMENT,
        by=by,
        before=before,
        after=after,
        named=named,
    )
