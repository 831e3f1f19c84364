"""Moments as texts in a time zone: `15 Dec 2026, 23:59 America/Sao_Paulo`."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from leaderboard.languages.translation import moment_text
from leaderboard.rules.texts.local_times import ANYWHERE_ON_EARTH

UTC: Final = "UTC"
"""The zone of moments that belong to no phase."""


def in_zone(moment: datetime, zone: str) -> str:
    """A moment to the minute, with the name of the zone."""
    return f"{moment_text(moment.astimezone(ZoneInfo(zone)))} {zone_name(zone)}"


def zone_name(zone: str) -> str:
    """The name of a zone behind a moment."""
    return _("anywhere on Earth") if zone == ANYWHERE_ON_EARTH else zone
