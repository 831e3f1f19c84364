"""Which key decides who is first, if the first rows have the same value in the first one."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.pages.charts.axes import TIME
from leaderboard.pages.labels.zones import UTC, in_zone
from leaderboard.pages.tables.differences import value_writer
from leaderboard.rules.sortkey import PRECISION
from leaderboard.services.board.reading.rows import BoardRow


def deciding_key(rows: Sequence[BoardRow], columns: Sequence[Column]) -> str:
    """`Larch and Juniper have the same Solved; Cost decides: $0.10 against $0.12.`

    "" if the first two rows differ in the first key, or share the rank. rows: the first ones.
    """
    ranked = [row for row in rows if row.rank is not None][:2]
    keys = [column for column in columns if column.ranked]
    if len(ranked) < 2 or ranked[0].rank == ranked[1].rank or not keys or keys[0].key == TIME:
        return ""
    first, second = ranked
    if _differ(keys[0], first, second):
        return ""
    names = {
        "first": first.participant.shown_name,
        "second": second.participant.shown_name,
        "label": keys[0].label,
    }
    decides = next((key for key in keys[1:] if _differ(key, first, second)), None)
    if decides is None:
        text = _("{first} and {second} have the same {label}; {first} reached it first.")
        return text.format(**names)
    text = _("{first} and {second} have the same {label}; {key} decides: {better} against {worse}.")
    better, worse = _texts(decides, first, second)
    return text.format(**names, key=decides.label, better=better, worse=worse)


def _differ(column: Column, first: BoardRow, second: BoardRow) -> bool:
    if column.key == TIME:
        return first.reached_at != second.reached_at
    one, other = column.value(first.values), column.value(second.values)
    if one is None or other is None:
        return one is not other
    return round(one - other, PRECISION) != 0.0


def _texts(column: Column, first: BoardRow, second: BoardRow) -> tuple[str, str]:
    if column.key == TIME:
        return in_zone(first.reached_at, UTC), in_zone(second.reached_at, UTC)
    written = value_writer(column)
    values = [column.value(row.values) for row in (first, second)]
    better, worse = ("–" if value is None else written(value) for value in values)
    return better, worse
