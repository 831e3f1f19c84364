"""Moments as texts in a time zone: `2026-12-15 23:59 America/Sao_Paulo`."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from leaderboard.rules.texts.local_times import ANYWHERE_ON_EARTH


def in_zone(moment: datetime, zone: str) -> str:
    """A moment to the minute, with the name of the zone."""
    text = moment.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")
    if zone == ANYWHERE_ON_EARTH:
        return _("{moment} anywhere on Earth").format(moment=text)
    return f"{text} {zone}"


def zone_name(zone: str) -> str:
    """The name of a zone behind a moment."""
    return _("anywhere on Earth") if zone == ANYWHERE_ON_EARTH else zone
