"""Strips of tasks and courses of attempts beside the rows of a board."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text, number_text
from leaderboard.pages.charts.sparkline import sparkline
from leaderboard.pages.charts.strip import (
    MOST_LINKS,
    Linked,
    StripTask,
    counts,
    paths,
    sample,
    shapes,
    width_of_strip,
)
from leaderboard.pages.labels import row_labels
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.rules.ranking.board_summaries import (
    BINS,
    FAILED,
    FULL,
    NOT_RUN,
    UNDEFINED,
    Solved,
    Strips,
)
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.summary import VisibleSummary


class StripLegend(NamedTuple):
    """What the strips of a page mean. shapes: the drawing that they refer to; "" for none.

    states: each state that a strip shows, as a drawing and a word. width: of the strips, in pixels.
    """

    shapes: SafeString | str
    sentence: str
    states: list[tuple[SafeString, str]]
    width: float


class StripTexts:
    """Draws the strips of a board and says what they show. phase: that of the address, or ""."""

    def __init__(self, strips: Strips, slug: str, phase: str = "") -> None:
        self.strips = strips
        self._linked: Linked | None = None
        if not strips.is_binned and len(strips.tasks) <= MOST_LINKS:
            page = reverse("task", args=[slug])
            asked = {"metric": strips.metric, **({"phase": phase} if phase else {})}
            tasks = [
                StripTask(task, f"{page}?{urlencode({'task': task, **asked})}")
                for task in strips.tasks
            ]
            self._linked = Linked(tasks, title_of)

    @property
    def shapes(self) -> SafeString | str:
        return shapes() if self._linked else ""

    def drawn(self, solved: Solved, url: str) -> SafeString:
        """A strip with its numbers as text. url: where a strip without links leads to."""
        text = self.counts_text(solved)
        if self._linked:
            drawn = self._linked.drawn(solved)
            return format_html('<span class="hidden">{} </span>{}', text, drawn)
        return format_html(
            '<a class="strip-link" href="{}" title="{}">{}<span class="hidden"> {}</span></a>',
            url,
            text,
            paths(solved),
            text,
        )

    def named_bars(self, solved: Solved) -> Iterator[tuple[str, str, SafeString, str]]:
        """Each task: its name, its address, its bar and its state; none if there are many."""
        linked = self._linked
        if linked:
            for task, state in zip(linked.tasks, solved, strict=True):
                yield task.name, task.url, sample(state), _state(state)

    def counts_text(self, solved: Solved) -> str:
        """`8 tasks solved, 3 partly, 1 failed`."""
        if self.strips.is_binned:
            tasks = row_labels.count(self.strips.count, "task")
            return _("{tasks} in {bins} groups, the easiest first").format(
                tasks=tasks, bins=count_text(BINS)
            )
        words = count_words()
        texts = [words[state].format(count=count_text(count)) for state, count in counts(solved)]
        return _("Tasks: {states}").format(states=", ".join(texts))


def with_pictures(
    summary: VisibleSummary,
    columns: Sequence[Column],
    rows: Sequence[BoardRow],
    lines: Sequence[TableLine],
    texts: StripTexts | None,
) -> list[TableLine]:
    """The lines of some rows with their strips and the courses of their attempts."""
    has_courses = bool(columns) and columns[0].ranked
    drawn = []
    for row, line in zip(rows, lines, strict=True):
        solved, course = summary.solved(row), summary.course(row) if has_courses else ()
        if solved is not None and texts is not None:
            url = f"{reverse('attempt', args=[row.attempt_id])}#tasks"
            line = replace(line, strip=texts.drawn(solved, url))
        drawn.append(replace(line, course=sparkline(course)) if course else line)
    return drawn


def strip_texts(
    summary: VisibleSummary, column_keys: Collection[str], slug: str, phase: str = ""
) -> StripTexts | None:
    """The texts of a board's strips. column_keys: of its columns; hidden ones have no strip."""
    if summary.strips is None or summary.strips.metric not in column_keys:
        return None
    return StripTexts(summary.strips, slug, phase)


def strip_legend(texts: StripTexts, column: Column, solved_rows: Sequence[Solved]) -> StripLegend:
    """What the strips of some rows mean. column: that of the metric."""
    strips = texts.strips
    if strips.is_binned:
        text = _("Strip: {tasks} by {metric}, each bar a group of them, the easiest at the left.")
    else:
        text = _("Strip: {tasks} by {metric}, a bar for each.")
    sentence = text.format(tasks=row_labels.count(strips.count, "task"), metric=column.label)
    if column.direction == "asc":
        turned = _("The smaller the value, the higher the bar.")
        sentence = f"{sentence} {turned}"
    states_present = {state for solved in solved_rows for state, _count in counts(solved)}
    samples = {
        "full": FULL,
        "partly": FULL // 2,
        "none": 0,
        "failed": FAILED,
        "undefined": UNDEFINED,
        "not-run": NOT_RUN,
    }
    named = state_words()
    drawn = sample if texts.shapes else lambda state: paths([state])
    states = [(drawn(at), named[name]) for name, at in samples.items() if name in states_present]
    width = width_of_strip(len(solved_rows[0]))
    return StripLegend(texts.shapes, sentence, states, width)


def why_no_strips(
    summary: VisibleSummary,
    texts: StripTexts | None,
    column: Column | None,
    row: BoardRow,
    *,
    of_means: bool,
) -> str:
    """The reason why the rows of a page have no strips; "" if none is needed.

    texts: those of the board's strips. column, row: the first ones of the page. of_means: whether
    the rows have means over several attempts.
    """
    if texts is not None and summary.strips is not None:
        number = len(summary.strips.solved)
        text = ngettext(
            "Strips of tasks are drawn for the first row of the board.",
            "Strips of tasks are drawn for the first {count} rows of the board.",
            number,
        )
        return text.format(count=count_text(number))
    cell = row.cells.get(column.key) if column else None
    if of_means and cell and cell.get("total", 0) > 1:
        return _("Rows have no strips of tasks, because values are means over several attempts.")
    return ""


def state_words() -> dict[str, str]:
    """What the states of a task are called."""
    return {
        "full": _("solved"),
        "partly": _("partly"),
        "none": _("not solved"),
        "failed": _("failed"),
        "undefined": _("undefined"),
        "not-run": _("not run"),
    }


def count_words() -> dict[str, str]:
    """Numbers of tasks in each state, as parts of a list."""
    return {
        "full": _("{count} solved"),
        "partly": _("{count} partly solved"),
        "none": _("{count} not solved"),
        "failed": _("{count} failed"),
        "undefined": _("{count} undefined"),
        "not-run": _("{count} not run"),
    }


def title_of(task: str, solved: int) -> str:
    """`berths: solved`, `tides: 67% solved`."""
    return _("{task}: {state}").format(task=task, state=_state(solved))


def _state(solved: int) -> str:
    if 0 < solved < FULL:
        return _("{share} solved").format(share=number_text(f"{solved}%"))
    ((name, _count),) = counts([solved])
    return state_words()[name]
