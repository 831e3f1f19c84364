"""An axis of a chart: a column of a board, its scale and the texts of its ticks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.pages.charts.label_places import GAP, width_of
from leaderboard.pages.charts.scales import AxisScale, scale_of
from leaderboard.pages.charts.tick_texts import has_short_unit, tick_texts
from leaderboard.pages.charts.times import MINUTE, time_scale_of, time_texts
from leaderboard.pages.labels import row_labels

TIME: Final = "submitted_at"
"""The column whose values are moments."""
MILLISECONDS: Final = "ms"
MANY_TIMES: Final = 30.0
"""Without a choice, an axis of costs is logarithmic if the largest value is this many times the
smallest."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A column with the values that its axis contains, in the unit of `in_unit`."""

    column: Column
    values: Sequence[float]
    is_log: bool = False

    @property
    def is_time(self) -> bool:
        """Whether the values are moments, in seconds since 1970."""
        return self.column.key == TIME

    @property
    def title(self) -> str:
        """The label of the column and its better end, with a unit that the ticks do not have."""
        if self.is_time or has_short_unit(self.column):
            return _("{label} ({end} is best)").format(
                label=row_labels.marked(self.column), end=row_labels.end(self.column)
            )
        return _("{label}, {unit} ({end} is best)").format(
            label=row_labels.marked(self.column),
            unit=self.column.unit,
            end=row_labels.end(self.column),
        )

    def in_unit(self, value: float) -> float:
        """A value of the column in the unit of the axis: seconds for milliseconds, percent."""
        return value / 1000 if self.column.unit == MILLISECONDS else value * self.column.scale

    def scale(self, start: float, end: float, most: int) -> AxisScale:
        """The scale between two coordinates. most: about how many ticks there is room for."""
        if self.is_time:
            return time_scale_of(self.values, start, end, most)
        return scale_of(self.values, start, end, is_log=self.is_log, most=most)

    def fitted_scale(self, start: float, end: float, most: int) -> AxisScale:
        """The scale of a horizontal axis, with as many of `most` ticks as have room for texts."""
        scale = self.scale(start, end, most)
        widest = max(map(width_of, self.texts(scale)), default=0.0)
        places = sorted(map(scale.at, scale.ticks))
        apart = min(
            (after - before for before, after in pairwise(places)), default=widest + 2 * GAP
        )
        if most > 1 and apart < widest + 2 * GAP:
            return self.fitted_scale(start, end, most - 1)
        return scale

    def texts(self, scale: AxisScale) -> list[str]:
        """The texts of the scale's ticks."""
        if self.is_time:
            return time_texts(scale)
        if self.column.unit != MILLISECONDS:
            return tick_texts(scale, self.column)
        seconds = replace(self.column, unit="s", decimals=self._decimals_of_seconds)
        return tick_texts(scale, seconds)

    @property
    def _decimals_of_seconds(self) -> int:
        """Those of the column, which applies them below a minute."""
        return self.column.decimals if max(self.values, default=0.0) < MINUTE else 0


def axis_of(
    column: Column, values: Sequence[float], is_log: bool | None, ends: Collection[float] = ()
) -> Axis:
    """The axis of a column. values: in the column's unit; ends: of the intervals of the values.

    is_log: None for a logarithmic axis if less is better and the values differ by large factors.
    """
    if is_log is None:
        is_far = bool(values) and 0.0 < MANY_TIMES * min(values) <= max(values)
        is_log = is_far and column.direction == "asc"
    axis = Axis(column, (), is_log and column.key != TIME)
    values_in_unit = [axis.in_unit(value) for value in (*values, *ends)]
    if axis.is_log:
        # The lower end of an interval may be 0, or so near that it would fill the axis.
        least = min((axis.in_unit(value) for value in values if value > 0.0), default=1.0) / 3
        values_in_unit = [value for value in values_in_unit if value >= least]
    return replace(axis, values=values_in_unit)
