"""Single cells of tables: numbers, shares and dates."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leaderboard.importers.tables.cells import date_in, moment_of, number_in, value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("3/4", 0.75), ("4/4", 1.0), ("0/8", 0.0), ("5/4", None), ("1/0", None)),
        *(("1,234.5", 1234.5), ("−2.5", -2.5), ("1.2.3", None), ("1, 2", None)),
    ],
)
def test_a_cell_of_a_number_or_a_share_has_its_value(text: str, value: float | None) -> None:
    number = number_in(text)
    assert (None if number is None else value_of(number, "")) == value


def day(month: int, day_of_month: int) -> datetime:
    return datetime(2026, month, day_of_month, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "when_month_first", "when_day_first"),
    [
        ("2026/3/7", day(3, 7), day(3, 7)),
        ("3/4/2026", day(3, 4), day(4, 3)),
        ("03.04.2026", day(4, 3), day(4, 3)),
        ("13/4/2026", day(4, 13), day(4, 13)),
        ("4/13/2026", day(4, 13), day(4, 13)),
        ("12/12/2026", day(12, 12), day(12, 12)),
        ("13/13/2026", None, None),
        ("0/4/2026", None, None),
        ("32/4/2026", None, None),
    ],
)
def test_a_date_is_read_in_the_order_of_the_column(
    text: str, when_month_first: datetime | None, when_day_first: datetime | None
) -> None:
    date = date_in(text)
    moments = [date and moment_of(date, order) for order in ("month", "day")]
    assert moments == [when_month_first, when_day_first]
