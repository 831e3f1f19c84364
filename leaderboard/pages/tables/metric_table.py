"""The metric values of one attempt, each with its coverage and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.columns import Column, get_column
from leaderboard.languages.translation import number_text, translated
from leaderboard.pages.labels import judged, metric_labels
from leaderboard.rules.rewards.reductions import MetricValue


@dataclass(frozen=True, slots=True)
class MetricLine:
    """A metric value in words. `why` says why there is none; `method` where its interval is from.

    `no_interval` says why there is no interval; `meaning` is the column's own line. `level` says
    `reported` of a value that is, and `notes` what is reported beside a computed one, and why the
    value does not rank. `judged` says what people's labels say of a judge's value.
    """

    label: str
    meaning: str
    text: str
    why: str
    is_error: bool
    spread: str
    interval: str
    no_interval: str
    method: str
    over: str
    failed: int
    level: str
    notes: str
    judged: str


def metric_lines(columns: Sequence[Column], values: Mapping[str, MetricValue]) -> list[MetricLine]:
    """Metric values in the order of the board, then those that it does not show."""
    by_key = {column.key: column for column in columns}
    keys = [
        *(key for key in by_key if key in values),
        *(key for key in values if key not in by_key),
    ]
    return [metric_line(by_key.get(key) or get_column(key), values[key]) for key in keys]


def metric_line(column: Column, value: MetricValue) -> MetricLine:
    """value: a `rules.rewards.reductions.MetricValue`."""
    return MetricLine(
        label=translated(column.label),
        meaning=translated(column.description),
        text=number_text(column.text(value["value"])),
        why=metric_labels.reason(column, value),
        is_error=value["error"] is not None,
        spread=metric_labels.spread(column, value, value["value"]),
        interval=metric_labels.interval(column, value),
        no_interval=metric_labels.no_interval(column, value),
        method=metric_labels.method(column, value),
        over=_("{defined} of {total}").format(defined=value["defined"], total=value["total"])
        if value["total"]
        else "–",
        failed=value["failed"],
        level=metric_labels.level(column, value),
        notes=_notes(column, value),
        judged=judged.about(column, value),
    )


def _notes(column: Column, value: MetricValue) -> str:
    """A sentence for each note."""
    both = (metric_labels.beside(column, value), metric_labels.not_ranked(column, value))
    return " ".join(filter(None, both))
