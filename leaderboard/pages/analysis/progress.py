"""`/c/{slug}/progress/`: the record of a board over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.columns import Column, get_column
from leaderboard.languages.translation import count_text, number_text
from leaderboard.pages.analysis.shared import MOST_ROWS, Analysed, analysed
from leaderboard.pages.charts.axes import TIME, Axis, axis_of
from leaderboard.pages.charts.frame import SIZES
from leaderboard.pages.charts.history import History, HistoryPoint, history
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.zones import UTC, in_zone
from leaderboard.pages.sharing.chart_file import chart_file
from leaderboard.pages.tables.differences import difference_writer
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.ranking.records import records
from leaderboard.services.board.reading import ranking
from leaderboard.services.competition.visible.attempts import (
    VisibleAttempt,
    VisibleAttempts,
    attempts_over_time,
)
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import certain_records

MOST_ATTEMPTS: Final = 5000
MOST_VERSIONS: Final = 50


class RecordLine(NamedTuple):
    """A best value so far. gain: by how much it is better than the one before. held: for how long
    it stood. p: of the test against the one before, if it certainly is better: a record."""

    attempt: VisibleAttempt
    value: str
    gain: str
    held: str
    p: str


@require_safe
@cache_control(private=True, no_cache=True)
def progress_page(request: HttpRequest, slug: str) -> HttpResponse:
    about = analysed(request, slug)
    column = row_labels.spoken(ranking.columns_of(about.challenge))[0]
    why_none = _why_no_record(about.board, column)
    timeline = (
        VisibleAttempts([], are_all=True)
        if why_none
        else attempts_over_time(about.board, most=MOST_ATTEMPTS, most_rows=MOST_ROWS)
    )
    context = {
        **about.context("progress"),
        "column": column,
        "why_none": why_none,
        "attempts": len(timeline.attempts),
        "are_all": timeline.are_all,
        **(_chart_context(about, column, timeline.attempts) if timeline.attempts else {}),
    }
    file = chart_file(request, "pages/charts/history.html", _file(context), f"{slug}-progress")
    return file or render(request, "pages/progress.html", context)


def _file(context: PageContext) -> PageContext:
    """What the template of the chart reads for a file."""
    titles = {"x_title": _("Time (UTC)"), "about": context.get("y_title", "")}
    return {**context, **titles, "chart": next(iter(context.get("charts", [])), None)}


def _why_no_record(board: VisibleBoard, column: Column) -> str:
    """Why the ranked value of a board has no history, as a sentence; "" if it has one."""
    if column.key == TIME:
        return _("This board ranks by the time of the attempt, so there is no record to beat.")
    if any(spec.name == column.key for spec in board.board.config.comparing_specs):
        return _(
            "{label} compares participants with each other: it changes with every attempt of"
            " others, so there is no record of it."
        ).format(label=column.label)
    return ""


def _chart_context(
    about: Analysed, column: Column, attempts: Sequence[VisibleAttempt]
) -> PageContext:
    values = axis_of(column, [attempt.value for attempt in attempts], None)
    times = Axis(get_column(TIME), [attempt.at.timestamp() for attempt in attempts])
    key = about.board.board.config.ranking.keys[0]
    best = records([attempt.value for attempt in attempts], key)
    moments = [_moment(about, column, values, attempt) for attempt in attempts]
    versions = _versions(about.challenge.configs.order_by("-number"))
    charts: list[History] = [
        history(size, times, values, moments, best, versions) for size in SIZES
    ]
    return {
        "charts": charts,
        "y_title": values.title,
        "records": _lines(column, [attempts[at] for at in best], certain_records(about.board)),
        "has_versions": bool(charts[0].rules),
        "is_cloud": bool(charts[0].cloud),
    }


def _versions(configs: Any) -> list[tuple[float, str]]:
    """When the versions of the rules began, but for the first, with the texts of their lines."""
    numbered = configs.filter(number__gt=1).values_list("number", "created_at")[:MOST_VERSIONS]
    template = _("version {number}")
    return [(at.timestamp(), template.format(number=count_text(number))) for number, at in numbered]


def _moment(about: Analysed, column: Column, axis: Axis, attempt: VisibleAttempt) -> HistoryPoint:
    name = attempt.participant.shown_name
    title = _("{name}: {value}, {moment}").format(
        name=name,
        value=row_labels.value_text(column, attempt.value),
        moment=in_zone(attempt.at, UTC),
    )
    at = attempt.at.timestamp()
    return HistoryPoint(at, axis.in_unit(attempt.value), name, title, _url(about, attempt))


def _url(about: Analysed, attempt: VisibleAttempt) -> str:
    if attempt.attempt_id is not None:
        return reverse("attempt", args=[attempt.attempt_id])
    return reverse("participant", args=[about.challenge.slug, attempt.participant.slug])


def _lines(
    column: Column, attempts: Sequence[VisibleAttempt], p_values: Mapping[str, float]
) -> list[RecordLine]:
    """The best values so far, the newest first. p_values: of records, by attempts."""
    apart = difference_writer(column)
    ends: list[datetime | None] = [*(attempt.at for attempt in attempts[1:]), None]
    before: list[VisibleAttempt | None] = [None, *attempts[:-1]]
    record_lines = [
        RecordLine(
            attempt,
            row_labels.value_text(column, attempt.value),
            apart(abs(attempt.value - last.value)) if last else "",
            row_labels.duration((end - attempt.at).total_seconds()) if end else "",
            _p_text(p_values.get(attempt.attempt_id.hex) if attempt.attempt_id else None),
        )
        for attempt, last, end in zip(attempts, before, ends, strict=True)
    ]
    return record_lines[::-1]


def _p_text(p: float | None) -> str:
    if p is None:
        return ""
    return number_text(f"p = {p:.3f}" if p >= 0.001 else "p < 0.001")
