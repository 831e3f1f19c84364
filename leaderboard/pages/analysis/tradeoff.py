"""`/c/{slug}/tradeoff/`: the entries of a board over two of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.columns import Column, get_column
from leaderboard.languages.translation import count_text
from leaderboard.pages.analysis.shared import MOST_ROWS, Analysed, analysed, first_rows
from leaderboard.pages.charts.axes import TIME, Axis, axis_of
from leaderboard.pages.charts.frame import SIZES
from leaderboard.pages.charts.scatter import Scatter, ScatterEntry, scatter
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.zones import UTC, in_zone
from leaderboard.pages.shared.paging import counted, page_asked
from leaderboard.pages.sharing.chart_file import chart_file
from leaderboard.pages.tables.board_table import TableLine, filled, headers, keys_in, lines
from leaderboard.pages.tables.row_kinds import KINDS
from leaderboard.pages.tables.verdict import with_certainty
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.statistics.pareto import pareto_set
from leaderboard.rules.texts.value_names import COSTS
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.certainty import certainty_of
from leaderboard.services.wrong_parameter import WrongParameter

SCALES: Final = ("linear", "log")
ENTRIES_PER_PAGE: Final = 50
TradeoffPoint = tuple[float, float]


class AxisChoice(NamedTuple):
    """An option of a form."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class AskedAxes:
    """The two columns and whether their axes are logarithmic; None: as the values suggest."""

    x: Column
    y: Column
    x_is_log: bool | None
    y_is_log: bool | None


class EntryLine(NamedTuple):
    """A row of the table. is_best: whether no other entry dominates it."""

    line: TableLine
    is_best: bool


class _Drawn(NamedTuple):
    """An entry that is in the chart, with its values in the units of the columns."""

    row: BoardRow
    line: TableLine
    point: TradeoffPoint
    is_best: bool


class Missing(NamedTuple):
    """An entry that is not in the chart, and why."""

    line: TableLine
    why: str


@require_safe
@cache_control(private=True, no_cache=True)
def tradeoff_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?x=` and `?y=` choose the columns, `?x_axis=log` and `?y_axis=linear` their axes."""
    about = analysed(request, slug)
    rows, left_out = first_rows(about.board, MOST_ROWS)
    columns = columns_to_choose(about, rows)
    asked = _asked(request, columns)
    tradeoff = _Tradeoff(about, rows, asked) if asked else None
    context = {
        **about.context("tradeoff"),
        "rows": len(rows),
        "left_out": left_out,
        "asked": asked,
        "tradeoff": tradeoff,
        **_table_page(request, tradeoff),
        "x_choices": _choices(columns, asked.x if asked else None),
        "y_choices": _choices(columns, asked.y if asked else None),
        "x_scales": _scales(tradeoff.x_axis) if tradeoff else [],
        "y_scales": _scales(tradeoff.y_axis) if tradeoff else [],
    }
    file = (
        tradeoff
        and tradeoff.entries
        and chart_file(
            request, "pages/charts/scatter.html", tradeoff.file_context, f"{slug}-tradeoff"
        )
    )
    return file or render(request, "pages/tradeoff.html", context)


def _table_page(request: HttpRequest, tradeoff: _Tradeoff | None) -> PageContext:
    """The entries of the page of the table that the URL asks for."""
    entries = tradeoff.entries if tradeoff else []
    paging = counted(page_asked(request), len(entries), ENTRIES_PER_PAGE)
    start = (paging.number - 1) * ENTRIES_PER_PAGE
    return {"paging": paging, "entries": entries[start : start + ENTRIES_PER_PAGE]}


def columns_to_choose(about: Analysed, rows: Sequence[BoardRow]) -> list[Column]:
    """The columns with values, the ranked ones first; the time of the attempt is the last."""
    columns = filled(ranking.columns_of(about.challenge), keys_in(rows))
    values = [column for column in columns if column.key != TIME]
    times = [column for column in columns if column.key == TIME]
    return row_labels.spoken([*values, *(times or [get_column(TIME)])])


def usual_pair(columns: Sequence[Column]) -> tuple[Column, Column] | None:
    """The columns of the two axes without a choice: a cost, and the first ranked column.

    None for fewer than two columns.
    """
    columns = [column for column in columns if column.is_kept]
    if len(columns) < 2:
        return None
    first, *further_columns = columns
    by_key = {column.key: column for column in further_columns}
    cost = next((by_key[key] for key in COSTS if key in by_key), further_columns[0])
    return cost, first


def value_in(column: Column, row: BoardRow) -> float | None:
    """The value of a row in a column; the time of the attempt in seconds since 1970."""
    if column.key == TIME:
        return row.reached_at.timestamp()
    return column.value(row.values)


def _asked(request: HttpRequest, columns: Sequence[Column]) -> AskedAxes | None:
    """What the URL asks for; None if there are no two columns. Raises Http404."""
    x, y = (_column(request, columns, name) for name in ("x", "y"))
    scales = [_is_log(request, name) for name in ("x_axis", "y_axis")]
    usual = usual_pair(columns)
    if usual is None:
        return None
    free_columns = [column for column in columns if column not in (x, y)]
    x = x or (usual[0] if usual[0] != y else free_columns[0])
    y = y or (usual[1] if usual[1] != x else free_columns[0])
    return AskedAxes(x, y, *scales)


def _column(request: HttpRequest, columns: Sequence[Column], name: str) -> Column | None:
    asked = request.GET.get(name, "")
    chosen = next((column for column in columns if column.key == asked), None)
    if asked and chosen is None:
        raise WrongParameter.one_of(name, asked, [column.key for column in columns])
    return chosen


def _is_log(request: HttpRequest, name: str) -> bool | None:
    asked = request.GET.get(name, "")
    if asked not in ("", *SCALES):
        raise WrongParameter.one_of(name, asked, SCALES)
    return asked == "log" if asked else None


def _choices(columns: Sequence[Column], chosen: Column | None) -> list[AxisChoice]:
    return [AxisChoice(column.key, column.label, column == chosen) for column in columns]


def _scales(axis: Axis) -> list[AxisChoice]:
    texts = {"linear": _("linear"), "log": _("logarithmic")}
    return [AxisChoice(name, texts[name], axis.is_log == (name == "log")) for name in SCALES]


class _Tradeoff:
    """The chart and its table."""

    def __init__(self, about: Analysed, rows: Sequence[BoardRow], asked: AskedAxes) -> None:
        self._challenge, self._asked = about.challenge, asked
        columns = [asked.x, asked.y]
        self.headers = headers(columns, "")
        certain = certainty_of(about.board, rows)
        every = list(zip(rows, with_certainty(certain, rows, lines(columns, rows)), strict=True))
        points = {at: point for at, row in enumerate(rows) if (point := _point(asked, row))}
        self.x_axis = self._axis(asked.x, asked.x_is_log, [x for x, _ in points.values()], rows)
        self.y_axis = self._axis(asked.y, asked.y_is_log, [y for _, y in points.values()], rows)
        points = {at: point for at, point in points.items() if self._fits(point)}
        best = pareto_set([*points.values()], (asked.x.direction, asked.y.direction))
        drawn = [
            _Drawn(*every[at], point, place in set(best))
            for place, (at, point) in enumerate(points.items())
        ]
        entries = [self._entry(entry) for entry in drawn]
        self.charts: list[Scatter] = [
            scatter(size, self.x_axis, self.y_axis, entries, best) for size in SIZES
        ]
        self.entries = [EntryLine(entry.line, entry.is_best) for entry in drawn]
        self.missing = [
            Missing(line, _why(line)) for at, (_, line) in enumerate(every) if at not in points
        ]
        self.has_out_of_ranking = any(entry.is_out_of_ranking for entry in entries)
        self.has_intervals = any(entry.across or entry.upright for entry in entries)
        self.summary = _summary(len(best), len(drawn))

    @property
    def file_context(self) -> PageContext:
        """What the template of the chart reads for a file."""
        return {
            "chart": self.charts[0],
            "x_title": self.x_axis.title,
            "y_title": self.y_axis.title,
            "about": f"{self.y_axis.title} / {self.x_axis.title}",
        }

    def _axis(
        self, column: Column, is_log: bool | None, values: Sequence[float], rows: Sequence[BoardRow]
    ) -> Axis:
        intervals = (_interval(column, row) for row in rows if _point(self._asked, row))
        return axis_of(
            column, values, is_log, [end for interval in intervals for end in interval or ()]
        )

    def _fits(self, point: TradeoffPoint) -> bool:
        """Whether the axes can show an entry: a logarithmic one has no place for 0."""
        x, y = point
        return (x > 0.0 or not self.x_axis.is_log) and (y > 0.0 or not self.y_axis.is_log)

    def _entry(self, entry: _Drawn) -> ScatterEntry:
        x, y = self.x_axis, self.y_axis
        who = entry.line.participant
        return ScatterEntry(
            name=who.shown_name,
            title=_title(entry, x.column.label, y.column.label),
            url=reverse("participant", args=[self._challenge.slug, who.slug]),
            x=x.in_unit(entry.point[0]),
            y=y.in_unit(entry.point[1]),
            across=_in_unit(x, _interval(x.column, entry.row)),
            upright=_in_unit(y, _interval(y.column, entry.row)),
            is_out_of_ranking=bool(entry.line.kind),
        )


def _point(asked: AskedAxes, row: BoardRow) -> TradeoffPoint | None:
    """The two values of a row; None if one is missing, or if the row is not ranked."""
    x, y = value_in(asked.x, row), value_in(asked.y, row)
    counts = row.rank is not None or row.unranked in KINDS
    return (x, y) if counts and x is not None and y is not None else None


def _why(line: TableLine) -> str:
    """Why an entry is not in the chart."""
    if line.reason:
        return line.reason
    empty = [cell for cell in line.cells if cell.is_empty]
    if not empty:
        return _("A logarithmic axis has no place for a value of 0 or less.")
    template = _("{label}: {why}")
    return "; ".join(
        template.format(label=cell.label, why=cell.hint or _("no value")) for cell in empty
    )


def _interval(column: Column, row: BoardRow) -> Interval | None:
    cell = row.cells.get(column.key)
    interval = cell.get("interval") if cell else None
    return (interval[0], interval[1]) if interval else None


def _in_unit(axis: Axis, interval: Interval | None) -> Interval | None:
    return interval and (axis.in_unit(interval[0]), axis.in_unit(interval[1]))


def _title(entry: _Drawn, x: str, y: str) -> str:
    texts = [in_zone(cell.moment, UTC) if cell.moment else cell.text for cell in entry.line.cells]
    text = _("{name}: {x} {x_value}, {y} {y_value}").format(
        name=entry.line.participant.shown_name, x=x, x_value=texts[0], y=y, y_value=texts[1]
    )
    return _("{entry}; not dominated").format(entry=text) if entry.is_best else text


def _summary(best: int, entries: int) -> str:
    text = ngettext(
        "{count} of {total} entries is not dominated: no other entry is at least as good in both"
        " columns and better in one.",
        "{count} of {total} entries are not dominated: no other entry is at least as good in both"
        " columns and better in one.",
        best,
    )
    return text.format(count=count_text(best), total=count_text(entries))
