"""`/c/{slug}/tasks/`: how hard the tasks of a board are, who solved them, and a page for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.languages.translation import count_text, number_text
from leaderboard.pages.analysis.shared import analysed
from leaderboard.pages.analysis.task_values import BoardTasks, board_tasks, solving_text
from leaderboard.pages.charts.frame import SIZES
from leaderboard.pages.charts.task_map import (
    MOST_COLUMNS,
    TaskMap,
    Titled,
    binned,
    task_map,
)
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.clusterings import clustering_text
from leaderboard.pages.shared.paging import Paging, counted, page_asked
from leaderboard.pages.sharing.chart_file import chart_file
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.ranking.board_summaries import FULL
from leaderboard.rules.statistics.tasks import TaskStatistics
from leaderboard.services.wrong_parameter import WrongParameter

DRAWN_ENTRIES: Final = 40
TASKS_PER_PAGE: Final = 200
NAMED: Final = 3
"""The most entries that are named as those who solved a task."""

ORDERS: Final[Mapping[str, Callable[[TaskStatistics, float], float]]] = {
    "": lambda task, sign: 0.0,
    "hardest": lambda task, sign: np.inf if task.mean is None else sign * task.mean,
    "easiest": lambda task, sign: np.inf if task.mean is None else -sign * task.mean,
    "disagreement": lambda task, sign: (
        -task.solved * (task.entries - task.solved) / task.entries**2
        if task.solved is not None and task.entries
        else np.inf
    ),
    "discrimination": lambda task, sign: (
        task.discrimination if task.discrimination is not None else np.inf
    ),
}
"""The orders of the table: as declared, or by a number of each task. sign: −1 where the smallest
value is the best."""


class OrderLink(NamedTuple):
    """A link to an order of the table."""

    value: str
    label: str
    is_chosen: bool


class BoardTaskLine(NamedTuple):
    """A task of the board. who: who solved it, in words."""

    name: str
    query: str
    entries: str
    solved: str
    mean: str
    who: str
    discrimination: str


@require_safe
@cache_control(private=True, no_cache=True)
def board_tasks_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?metric=` chooses the values, `?order=` the order of the table."""
    about = analysed(request, slug)
    task_values = board_tasks(request, about)
    order = request.GET.get("order", "")
    if order not in ORDERS:
        raise WrongParameter.one_of("order", order, ORDERS)
    context: PageContext = {
        **about.context("tasks"),
        "is_exact": about.board.view.is_exact,
        "task_values": task_values,
        **(_table_context(request, task_values, order) if task_values else {}),
    }
    file = None
    if maps := context.get("maps"):
        drawn = {"map": maps[0], "about": _("How far each entry solved each task")}
        file = chart_file(request, "pages/charts/task_map.html", drawn, f"{slug}-tasks")
    return file or render(request, "pages/board_tasks.html", context)


def _table_context(request: HttpRequest, task_values: BoardTasks, order: str) -> PageContext:
    statistics = task_values.statistics
    sign = -1.0 if task_values.column.direction == "asc" else 1.0
    positions = sorted(range(len(statistics)), key=lambda at: ORDERS[order](statistics[at], sign))
    paging: Paging = counted(page_asked(request), len(positions), TASKS_PER_PAGE)
    first = (paging.number - 1) * TASKS_PER_PAGE
    page = positions[first : first + TASKS_PER_PAGE]
    return {
        "orders": _orders(order),
        "lines": [_line(task_values, at, statistics[at]) for at in page],
        "paging": paging,
        "summary": list(_summary(statistics)),
        "solving": solving_text(task_values),
        "maps": _maps(task_values, positions),
        "is_binned": len(statistics) > MOST_COLUMNS,
        "drawn": count_text(min(len(task_values.rows), DRAWN_ENTRIES)),
        "left_out": _left_out(task_values),
        "clustering": clustering_text(task_values.about.board),
    }


def _orders(chosen: str) -> list[OrderLink]:
    texts = {
        "": _("In their order"),
        "hardest": _("Hardest first"),
        "easiest": _("Easiest first"),
        "disagreement": _("Most disagreement first"),
        "discrimination": _("Lowest discrimination first"),
    }
    return [OrderLink(value, texts[value], value == chosen) for value in ORDERS]


def _left_out(task_values: BoardTasks) -> str:
    if not task_values.samples.left_out:
        return task_values.left_out
    text = ngettext(
        "{count} further entry is left out, because there are too many samples.",
        "{count} further entries are left out, because there are too many samples.",
        task_values.samples.left_out,
    )
    further = text.format(count=count_text(task_values.samples.left_out))
    return f"{further} {task_values.left_out}".strip()


def _summary(statistics: Sequence[TaskStatistics]) -> Iterator[str]:
    """The number of tasks, and of those that no entry or every entry solved."""
    yield row_labels.count(len(statistics), "task")
    unsolved = sum(statistic.entries > 0 and statistic.solved == 0 for statistic in statistics)
    solved = sum(0 < statistic.entries == statistic.solved for statistic in statistics)
    if unsolved:
        yield _("no entry solved {count} of them").format(count=count_text(unsolved))
    if solved:
        yield _("every entry solved {count} of them").format(count=count_text(solved))


def _line(task_values: BoardTasks, at: int, statistics: TaskStatistics) -> BoardTaskLine:
    mean, discrimination = statistics.mean, statistics.discrimination
    column = task_values.column
    return BoardTaskLine(
        name=task_values.entry_parts.tasks[at],
        query=_query(task_values, task_values.entry_parts.tasks[at]),
        entries=count_text(statistics.entries),
        solved="" if statistics.solved is None else count_text(statistics.solved),
        mean=row_labels.value_text(column, mean),
        who=_who(task_values, at, statistics),
        discrimination="–" if discrimination is None else signed_text(discrimination),
    )


def signed_text(number: float) -> str:
    """A correlation with two decimals."""
    return number_text(f"{number:z.2f}".replace("-", "\N{MINUS SIGN}"))


def _who(task_values: BoardTasks, at: int, statistics: TaskStatistics) -> str:
    if not statistics.entries:
        return _("not run")
    if not statistics.solved:
        return _("none")
    if statistics.solved == statistics.entries:
        return _("all")
    if statistics.solved > NAMED:
        return ""
    entries = zip(task_values.lines, task_values.solved, strict=True)
    return ", ".join(line.participant.shown_name for line, mine in entries if mine[at] == FULL)


def _query(task_values: BoardTasks, task: str) -> str:
    asked = {"task": task, "metric": task_values.column.key, "phase": task_values.about.phase}
    return urlencode({name: value for name, value in asked.items() if value})


def _maps(task_values: BoardTasks, order: Sequence[int]) -> list[TaskMap]:
    """The picture; none if nothing says how far a task is solved. order: of the tasks."""
    if task_values.scale is None or task_values.scale.worst is None:
        return []
    solved = [[mine[at] for at in order] for mine in task_values.solved[:DRAWN_ENTRIES]]
    slug = task_values.about.challenge.slug
    entries = [_entry(slug, line) for line in task_values.lines[:DRAWN_ENTRIES]]
    if len(order) > MOST_COLUMNS:
        return [task_map(size, entries, [], binned(solved)) for size in SIZES]
    address = reverse("task", args=[slug])
    tasks = [
        Titled(name, name, f"{address}?{_query(task_values, name)}")
        for name in (task_values.entry_parts.tasks[at] for at in order)
    ]
    return [task_map(size, entries, tasks, solved) for size in SIZES]


def _entry(slug: str, line: TableLine) -> Titled:
    who = line.participant
    title = _("{name}: {value}").format(name=who.shown_name, value=line.cells[0].text)
    return Titled(who.shown_name, title, reverse("participant", args=[slug, who.slug]))
