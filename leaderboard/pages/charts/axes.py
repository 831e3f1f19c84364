"""An axis of a chart: a column of a board, its scale and the texts of its ticks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.pages.charts.scales import AxisScale, scale_of
from leaderboard.pages.charts.tick_texts import tick_texts
from leaderboard.pages.charts.times import time_scale_of, time_texts
from leaderboard.pages.labels import row_labels

TIME: Final = "submitted_at"
"""The column whose values are moments."""
MILLISECONDS: Final = "ms"
MANY_TIMES: Final = 30.0
"""Without a choice, an axis of costs is logarithmic if the largest value is this many times the
smallest."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A column with the values that its axis contains, in the unit of `shown`."""

    column: Column
    values: Sequence[float]
    is_log: bool = False

    @property
    def is_time(self) -> bool:
        """Whether the values are moments, in seconds since 1970."""
        return self.column.key == TIME

    @property
    def title(self) -> str:
        """The label of the column with its unit and its better end."""
        unit = "s" if self.column.unit == MILLISECONDS else self.column.unit
        if self.is_time or not unit:
            return _("{label} ({end} is best)").format(
                label=row_labels.marked(self.column), end=row_labels.end(self.column)
            )
        return _("{label}, {unit} ({end} is best)").format(
            label=row_labels.marked(self.column), unit=unit, end=row_labels.end(self.column)
        )

    def shown(self, value: float) -> float:
        """A value of the column in the unit of the axis: seconds for milliseconds, percent."""
        return value / 1000 if self.column.unit == MILLISECONDS else value * self.column.scale

    def scale(self, start: float, end: float, most: int) -> AxisScale:
        """The scale between two coordinates. most: about how many ticks there is room for."""
        if self.is_time:
            return time_scale_of(self.values, start, end, most)
        return scale_of(self.values, start, end, is_log=self.is_log, most=most)

    def texts(self, scale: AxisScale) -> list[str]:
        """The texts of the scale's ticks."""
        return time_texts(scale) if self.is_time else tick_texts(scale)


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
    known = [axis.shown(value) for value in (*values, *ends)]
    if axis.is_log:
        # The lower end of an interval may be 0, or so near that it would fill the axis.
        least = min((axis.shown(value) for value in values if value > 0.0), default=1.0) / 3
        known = [value for value in known if value >= least]
    return replace(axis, values=known)
