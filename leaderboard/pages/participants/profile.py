"""What a participant's page draws: attempts over time, tasks, strengths and weaknesses.

It is compared with the median and the quartiles of the entries, because a few extreme entries would
distort standard deviations. These are descriptions and no tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.columns import Column, get_column
from leaderboard.languages.translation import number_text
from leaderboard.pages.charts.axes import TIME, Axis, axis_of
from leaderboard.pages.charts.frame import Size
from leaderboard.pages.charts.history import History, HistoryPoint, history
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.counting import counting
from leaderboard.pages.labels.zones import UTC, in_zone
from leaderboard.pages.tables.differences import difference_writer
from leaderboard.pages.tables.row_kinds import KINDS
from leaderboard.pages.tables.row_pictures import StripLegend, strip_legend, strip_texts
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.ranking.board_summaries import Quartiles, Solved, Strips, worth
from leaderboard.rules.ranking.records import records
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import stored_certainty
from leaderboard.services.competition.visible.course import VisibleCourse, course_of_row
from leaderboard.services.competition.visible.summary import VisibleSummary, summary_in

SIZES: Final = (Size("wide", 960.0, 260.0, 8, 4), Size("narrow", 380.0, 250.0, 4, 4))
LEAST_ENTRIES: Final = 5
"""Fewer entries than this have no median to compare with."""
FAR: Final = 25
"""A task is far from the median if the percentages differ by this."""
MOST: Final = 5
"""The most tasks, and the most columns, on each side."""


class Strength(NamedTuple):
    """A task or a column in which a participant is far from the median."""

    name: str
    url: str
    value: str
    median: str


class NamedTask(NamedTuple):
    """A task of a strip. state: `solved`, `67% solved`."""

    name: str
    url: str
    bar: SafeString
    state: str


class ParticipantProfile(NamedTuple):
    """What there is to show of a row; each part may be missing.

    tasks: each of them with its bar; strip: its tasks as one drawing, if they are too many. gains:
    the tasks that would raise the value most. better, worse: where it is far from the median of the
    entries.
    """

    tasks: list[NamedTask]
    strip: SafeString | str
    legend: StripLegend | None
    gains: list[Strength]
    better: list[Strength]
    worse: list[Strength]


def profile(
    board: VisibleBoard, row: BoardRow | None, columns: Sequence[Column]
) -> ParticipantProfile | None:
    """The tasks of a row, and how it compares with the others; None if nothing is known."""
    summary = summary_in(board, stored_certainty(board)) if row is not None else VisibleSummary()
    if row is None or row.attempt_id is None:
        return None
    columns_by_key = {column.key: column for column in columns}
    texts = strip_texts(summary, columns_by_key, board.challenge.slug)
    solved = summary.solved(row)
    sides: tuple[list[Strength], list[Strength]] = ([], [])
    strip: SafeString | str = ""
    legend = None
    tasks: list[NamedTask] = []
    gains: list[Strength] = []
    if texts is not None and solved is not None:
        column = columns_by_key[texts.strips.metric]
        tasks = [NamedTask(*task) for task in texts.named_bars(solved)]
        url = f"{reverse('attempt', args=[row.attempt_id])}#tasks"
        strip = "" if tasks else texts.drawn(solved, url)
        legend = strip_legend(texts, column, [solved])
        if column.direction == "desc" and column == columns[0]:
            gains = _gains(board, texts.strips, solved, column)
        for side, strengths in zip(sides, _tasks(board, texts.strips, solved), strict=True):
            side += strengths
    for is_better, strength in _columns(columns, row, summary.quartiles or {}):
        side = sides[0] if is_better else sides[1]
        side.append(strength)
    if not (tasks or strip or sides[0] or sides[1]):
        return None
    return ParticipantProfile(tasks, strip, legend, gains, *sides)


def _gains(board: VisibleBoard, strips: Strips, solved: Solved, column: Column) -> list[Strength]:
    """The tasks whose full solution would raise a mean most, those first that most others solve."""
    if strips.is_binned or not solved:
        return []
    counted = [worth(state) for state in solved]
    ran = sum(share is not None for share in counted)
    open_tasks = [
        (100 - share, middle or 0.0, task)
        for task, share, middle in zip(strips.tasks, counted, strips.medians(), strict=True)
        if share is not None and share < 100
    ]
    page, written = reverse("task", args=[board.challenge.slug]), difference_writer(column)
    return [
        Strength(
            task,
            f"{page}?{urlencode({'task': task, 'metric': strips.metric})}",
            f"+{written(missing / ran / 100)}",
            _("median {value}").format(value=number_text(f"{middle:.0f}%")),
        )
        for missing, middle, task in sorted(open_tasks, reverse=True)[:MOST]
    ]


def _tasks(
    board: VisibleBoard, strips: Strips, solved: Solved
) -> tuple[list[Strength], list[Strength]]:
    """The tasks far above and far below the median of the entries, the farthest first."""
    if strips.is_binned or len(strips.solved) < LEAST_ENTRIES:
        return [], []
    apart = [
        (mine - middle, task, mine, middle)
        for task, state, middle in zip(strips.tasks, solved, strips.medians(), strict=True)
        if (mine := worth(state)) is not None and middle is not None and abs(mine - middle) >= FAR
    ]
    page = reverse("task", args=[board.challenge.slug])
    sides = []
    for sign in (1, -1):
        those = sorted((entry for entry in apart if sign * entry[0] > 0), key=lambda e: -abs(e[0]))
        sides.append(
            [
                Strength(
                    task,
                    f"{page}?{urlencode({'task': task, 'metric': strips.metric})}",
                    number_text(f"{mine}%"),
                    _("median {value}").format(value=number_text(f"{middle:.0f}%")),
                )
                for _apart, task, mine, middle in those[:MOST]
            ]
        )
    return sides[0], sides[1]


def _columns(
    columns: Sequence[Column], row: BoardRow, quartiles: Any
) -> Iterator[tuple[bool, Strength]]:
    """The columns in which a row is better or worse than three quarters of the entries."""
    for column in columns:
        spread: Quartiles | None = quartiles.get(column.key)
        value = column.value(row.values)
        if spread is None or value is None or column.key == TIME or spread.low == spread.high:
            continue
        if spread.low <= value <= spread.high:
            continue
        median = _("median {value}").format(value=row_labels.value_text(column, spread.median))
        strength = Strength(column.label, "", row_labels.value_text(column, value), median)
        yield (value > spread.high) == (column.direction == "desc"), strength


def timeline(board: VisibleBoard, row: BoardRow | None, column: Column) -> PageContext:
    """The attempts of a row's participant over time, for the page; {} for fewer than two.

    column: the one that decides the order of the board.
    """
    course = course_of_row(board, row) if row is not None else VisibleCourse([], are_all=True)
    if len(course.attempts) < 2:
        return {}
    attempt_values = [attempt.value for attempt in course.attempts]
    values = axis_of(column, attempt_values, None)
    times = Axis(get_column(TIME), [attempt.at.timestamp() for attempt in course.attempts])
    best = records(attempt_values, board.board.config.ranking.keys[0])
    moments = []
    for attempt in course.attempts:
        counts = row is not None and attempt.attempt_id == row.attempt_id
        text = _("{value}, {moment}; it counts") if counts else _("{value}, {moment}")
        title = text.format(
            value=row_labels.value_text(column, attempt.value), moment=in_zone(attempt.at, UTC)
        )
        url = reverse("attempt", args=[attempt.attempt_id])
        name = _("counts") if counts else ""
        moments.append(
            HistoryPoint(attempt.at.timestamp(), values.in_unit(attempt.value), name, title, url)
        )
    charts: list[History] = [history(size, times, values, moments, best) for size in SIZES]
    return {
        "charts": charts,
        "y_title": values.title,
        "are_all": course.are_all,
        "attempts": len(moments),
    }


def why_it_counts(board: VisibleBoard, row: BoardRow | None, is_alone: bool) -> SafeString | str:
    """Which attempt counts and why; "" if none does, as if all are withdrawn.

    is_alone: whether the participant has no other attempt.
    """
    if row is None or row.attempt_id is None or is_alone:
        return ""
    if row.rank is None and row.unranked not in KINDS:
        return ""
    rule = counting(board.board)
    if board.board.counting in ("mean", "all"):
        return rule
    link = format_html(
        '<a href="{}">{}</a>',
        reverse("attempt", args=[row.attempt_id]),
        in_zone(row.reached_at, UTC),
    )
    return format_html(_("{rule} Here it is the one of {moment}."), rule=rule, moment=link)
