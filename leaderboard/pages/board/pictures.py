"""Two small pictures on a board: the trade-off and the record of its first rows.

They show rows that the board has already read, so they need no further query.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from leaderboard.columns import Column, get_column
from leaderboard.models import ScoringConfig
from leaderboard.pages.analysis.tradeoff import usual_pair, value_in
from leaderboard.pages.charts.axes import TIME, Axis, axis_of
from leaderboard.pages.charts.frame import SMALL
from leaderboard.pages.charts.history import History, HistoryPoint, history
from leaderboard.pages.charts.scatter import Scatter, ScatterEntry, scatter
from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.records import records
from leaderboard.rules.statistics.pareto import pareto_set
from leaderboard.services.board.reading.rows import BoardRow

LEAST: Final = 3
"""The fewest rows that make a picture."""


class SmallTradeoff(NamedTuple):
    """The trade-off between two columns, with their labels."""

    chart: Scatter
    x_label: str
    y_label: str


class SmallRecord(NamedTuple):
    """The record among the attempts that count."""

    chart: History
    y_label: str


class Pictures(NamedTuple):
    """The pictures of a board; None for one that the board has no values for."""

    tradeoff: SmallTradeoff | None
    record: SmallRecord | None


def pictures_of(
    config: ScoringConfig, columns: Sequence[Column], rows: Sequence[BoardRow]
) -> Pictures | None:
    """The pictures of the first rows. columns: those of the board; None without columns."""
    if not columns:
        return None
    ranked = [row for row in rows if row.rank is not None]
    key = config.ranking.keys[0]
    return Pictures(_tradeoff(columns, ranked), _record(columns[0], ranked, key))


def _tradeoff(columns: Sequence[Column], rows: Sequence[BoardRow]) -> SmallTradeoff | None:
    pair = usual_pair([column for column in columns if column.key != TIME])
    if pair is None:
        return None
    x, y = pair
    points = [
        (row, across, up)
        for row in rows
        if (across := value_in(x, row)) is not None and (up := value_in(y, row)) is not None
    ]
    if len(points) < LEAST:
        return None
    x_axis = axis_of(x, [across for _, across, _ in points], None)
    y_axis = axis_of(y, [up for _, _, up in points], False)
    best = pareto_set([(across, up) for _, across, up in points], (x.direction, y.direction))
    entries = [
        ScatterEntry(row.participant.shown_name, "", "", x_axis.in_unit(across), y_axis.in_unit(up))
        for row, across, up in points
    ]
    chart = scatter(SMALL, x_axis, y_axis, entries, best)
    return SmallTradeoff(chart, x.label, y.label)


def _record(column: Column, rows: Sequence[BoardRow], key: RankKey) -> SmallRecord | None:
    measured = sorted(
        (row for row in rows if key.key in row.values), key=lambda row: row.reached_at
    )
    if column.key == TIME or len(measured) < LEAST:
        return None
    values = [row.values[key.key] for row in measured]
    axis = axis_of(column, values, False)
    times = Axis(get_column(TIME), [row.reached_at.timestamp() for row in measured])
    moments = [
        HistoryPoint(at, axis.in_unit(value), row.participant.shown_name, "", "")
        for at, value, row in zip(times.values, values, measured, strict=True)
    ]
    return SmallRecord(history(SMALL, times, axis, moments, records(values, key)), column.label)
