"""Times are read strictly: none that does not exist, none that exists twice."""

from __future__ import annotations

import pytest

from leaderboard.rules.texts.local_times import (
    ANYWHERE_ON_EARTH,
    known_zones,
    offsets_of,
    read_moment,
)


def test_a_time_is_read_in_its_zone() -> None:
    cases: list[tuple[str, str, str]] = [
        ("2026-03-02T09:00:00Z", "Europe/Berlin", "2026-03-02T09:00:00+00:00"),
        ("2026-03-02T09:00+05:30", "UTC", "2026-03-02T03:30:00+00:00"),
        ("2026-03-02T09:00", "Europe/Berlin", "2026-03-02T08:00:00+00:00"),
        ("2026-07-02T09:00", "Europe/Berlin", "2026-07-02T07:00:00+00:00"),
        ("2026-10-25T02:30+01:00", "Europe/Berlin", "2026-10-25T01:30:00+00:00"),
        ("2026-12-31T23:59:59", ANYWHERE_ON_EARTH, "2027-01-01T11:59:59+00:00"),
    ]
    for text, zone, utc in cases:
        assert read_moment(text, zone).isoformat() == utc, text


def test_other_times_are_refused() -> None:
    cases: list[tuple[object, str, str]] = [
        ("2026-03-29T02:30", "Europe/Berlin", "exists in Europe/Berlin"),
        ("2026-10-25T02:30", "Europe/Berlin", "must say the offset"),
        ("9999-12-31T23:00-12:00", "UTC", "must be a date and time"),
        ("9999-12-31T23:00", ANYWHERE_ON_EARTH, "years 1 to 9999"),
        ("0001-01-01T00:00", "Asia/Tokyo", "years 1 to 9999"),
        ("2026-03-02T09:00+25:00", "UTC", "must be a date and time"),
        ("2026-03-02", "UTC", "must be a date and time"),
        ("tomorrow", "UTC", 'got "tomorrow"'),
        (20260302, "UTC", "got 20260302"),
    ]
    for text, zone, wrong in cases:
        with pytest.raises(ValueError, match=wrong):
            read_moment(text, zone)


def test_zones_are_those_of_the_iana_database() -> None:
    assert {"UTC", "Europe/Berlin", ANYWHERE_ON_EARTH} <= known_zones()
    assert not {"UTC-12", "EST5EDT", "posix/Europe/Berlin", ""} & known_zones()


def test_a_time_that_a_zone_has_twice_has_two_offsets() -> None:
    cases: list[tuple[str, str, tuple[str, ...]]] = [
        ("2026-10-25T02:30", "Europe/Berlin", ("+02:00", "+01:00")),
        ("2026-10-25T03:30", "Europe/Berlin", ()),
        ("2026-03-29T02:30", "Europe/Berlin", ()),
        ("2026-10-25T02:30+01:00", "Europe/Berlin", ()),
        ("2026-10-25T02:30", "Nowhere/City", ()),
        ("9999-12-31T23:59", "Etc/GMT+12", ()),
        ("soon", "UTC", ()),
    ]
    for text, zone, offsets in cases:
        assert offsets_of(text, zone) == offsets, text
