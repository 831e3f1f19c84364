"""Dates and times of day as people write them, in a time zone or with an offset."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

ANYWHERE_ON_EARTH: Final = "Etc/GMT+12"
"""The time zone in which a day ends last, so a deadline in it has passed everywhere."""


@cache
def known_zones() -> frozenset[str]:
    """The names of the IANA database that exist on all systems with the same meaning."""
    return frozenset(
        name for name in available_timezones() if "/" in name and name[:6] != "posix/"
    ) | {"UTC"}


def read_moment(text: object, zone: str) -> datetime:
    """A date and time in UTC. A text without an offset is a time in the zone.

    Raises ValueError with a sentence about what is accepted: if the text is not a time, if the time
    does not exist or exists twice in the zone because of a clock change, or if it is outside the
    calendar.
    """
    try:
        read = datetime.fromisoformat(text) if isinstance(text, str) and "T" in text else None
        if read is not None and read.tzinfo is not None:
            return read.astimezone(UTC)
    except (ValueError, OverflowError):
        read = None
    if read is None:
        raise ValueError(
            message(
                "must be a date and time, like 2026-11-20T08:00:00Z, or 2026-11-20T08:00 in the"
                " phase's time_zone; got {sent}",
                sent=sent(text),
            )
        )
    return _in_zone(read, ZoneInfo(zone), text)


def offsets_of(text: str, zone: str) -> tuple[str, ...]:
    """The two offsets, like `+02:00`, of a time that exists twice in the zone; else none."""
    try:
        read = datetime.fromisoformat(text)
        if read.tzinfo is not None or zone not in known_zones():
            return ()
        both = [read.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1)]
        exists = both[0].astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) == read
    except (ValueError, OverflowError):
        return ()
    offsets = dict.fromkeys(moment.isoformat()[-6:] for moment in both)
    return tuple(offsets) if exists and len(offsets) > 1 else ()


def _in_zone(read: datetime, zone: ZoneInfo, text: object) -> datetime:
    try:
        first, second = (read.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        exists = first.astimezone(zone).replace(tzinfo=None) == read
    except OverflowError:
        raise ValueError(
            message("must be within the years 1 to 9999 in UTC; got {sent}", sent=sent(text))
        ) from None
    if not exists:
        raise ValueError(
            message(
                "must be a time that exists in {zone}, where the change of the clock skips "
                "this one; got {sent}",
                zone=zone.key,
                sent=sent(text),
            )
        )
    if first != second:
        raise ValueError(
            message(
                "must say the offset, because {zone} has this time twice; got {sent}",
                zone=zone.key,
                sent=sent(text),
            )
        )
    return first
