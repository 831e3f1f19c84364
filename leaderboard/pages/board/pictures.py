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
    """The trade-off between two columns, with the titles of the axes."""

    chart: Scatter
    x_title: str
    y_title: str


class SmallRecord(NamedTuple):
    """The record among the attempts that count."""

    chart: History
    y_title: str


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
    there = [
        (row, across, up)
        for row in rows
        if (across := value_in(x, row)) is not None and (up := value_in(y, row)) is not None
    ]
    if len(there) < LEAST:
        return None
    x_axis = axis_of(x, [across for _, across, _ in there], None)
    y_axis = axis_of(y, [up for _, _, up in there], False)
    best = pareto_set([(across, up) for _, across, up in there], (x.direction, y.direction))
    entries = [
        ScatterEntry(row.participant.shown_name, "", "", x_axis.shown(across), y_axis.shown(up))
        for row, across, up in there
    ]
    chart = scatter(SMALL, x_axis, y_axis, entries, best)
    return SmallTradeoff(chart, x_axis.title, y_axis.title)


def _record(column: Column, rows: Sequence[BoardRow], key: RankKey) -> SmallRecord | None:
    there = sorted((row for row in rows if key.key in row.values), key=lambda row: row.reached_at)
    if column.key == TIME or len(there) < LEAST:
        return None
    values = [row.values[key.key] for row in there]
    axis = axis_of(column, values, False)
    times = Axis(get_column(TIME), [row.reached_at.timestamp() for row in there])
    moments = [
        HistoryPoint(at, axis.shown(value), row.participant.shown_name, "", "")
        for at, value, row in zip(times.values, values, there, strict=True)
    ]
    return SmallRecord(history(SMALL, times, axis, moments, records(values, key)), axis.title)
