"""`/c/{slug}/tasks/`: how hard the tasks of a board are, who solved them, and a page for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.columns import Column
from leaderboard.pages import labels
from leaderboard.pages.analysis import Analysed, analysed, first_rows
from leaderboard.pages.charts.frame import SIZES
from leaderboard.pages.charts.task_map import (
    MOST_COLUMNS,
    RewardShare,
    TaskMap,
    Titled,
    binned,
    task_map,
)
from leaderboard.pages.kinds import KINDS
from leaderboard.pages.paging import Paging, counted, page_asked
from leaderboard.pages.table import TableLine, filled, keys_in, lines
from leaderboard.rules.open_dicts import PageContext
from leaderboard.rules.statistics.tasks import SOLVED, TaskStatistics, task_statistics
from leaderboard.rules.value_names import ECONOMICS
from leaderboard.services.board import ranking
from leaderboard.services.board.rows import BoardRow
from leaderboard.services.competition.entry_parts import (
    EntryParts,
    compared_columns,
    entry_parts,
)
from leaderboard.services.competition.seen_samples import SeenSamples, samples_of
from leaderboard.translation import count_text, number_text
from leaderboard.wrong_parameter import WrongParameter

MOST_ENTRIES: Final = 200
DRAWN_ENTRIES: Final = 40
TASKS_PER_PAGE: Final = 200
NAMED: Final = 3
"""The most entries that are named as those who solved a task."""
_ROUNDING: Final = 1e-9

ORDERS: Final[Mapping[str, Callable[[TaskStatistics], float]]] = {
    "": lambda each: 0.0,
    "hardest": lambda each: each.mean if each.mean is not None else np.inf,
    "easiest": lambda each: -each.mean if each.mean is not None else np.inf,
    "discrimination": lambda each: (
        each.discrimination if each.discrimination is not None else np.inf
    ),
}
"""The orders of the table: as declared, or by a number of each task."""


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


@dataclass(frozen=True, slots=True)
class BoardTasks:
    """The values of entries on the tasks of a board, by one metric."""

    about: Analysed
    columns: list[Column]
    column: Column
    rows: list[BoardRow]
    lines: list[TableLine]
    samples: SeenSamples
    found: EntryParts
    left_out: str

    @property
    def values(self) -> Any:
        """Entries × tasks, NaN for a task that an entry did not run."""
        return self.found.parts.task_values


def board_tasks(request: HttpRequest, about: Analysed) -> BoardTasks | None:
    """The tasks by the metric that `?metric=` names; None if no entry has samples that are shown.

    Raises Http404 for an unknown metric.
    """
    first, left_out = first_rows(about.board, MOST_ENTRIES)
    rows = [row for row in first if row.rank is not None or row.unranked in KINDS]
    samples = samples_of(about.board, rows)
    rows = [row for row in rows if row.attempt_id in samples.evidence]
    evidence = [samples.evidence[row.attempt_id] for row in rows if row.attempt_id]
    config = about.board.board.config
    known = labels.spoken(filled(ranking.columns_of(about.challenge), keys_in(rows)))
    columns = [
        column
        for column in compared_columns(config, known, evidence)
        if column.key not in ECONOMICS
    ]
    asked = request.GET.get("metric", "")
    chosen = [column for column in columns if column.key == asked] if asked else columns[:1]
    if asked and not chosen:
        raise WrongParameter.one_of("metric", asked, [column.key for column in columns])
    found = entry_parts(config, chosen[0], evidence) if chosen else None
    if found is None:
        return None
    (column,) = chosen
    return BoardTasks(about, columns, column, rows, lines([column], rows), samples, found, left_out)


@require_safe
@cache_control(private=True, no_cache=True)
def board_tasks_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?metric=` chooses the values, `?order=` the order of the table."""
    about = analysed(request, slug)
    found = board_tasks(request, about)
    order = request.GET.get("order", "")
    if order not in ORDERS:
        raise WrongParameter.one_of("order", order, ORDERS)
    context = {
        **about.context("tasks"),
        "is_exact": about.board.view.is_exact,
        "found": found,
        **(_shown(request, found, order) if found else {}),
    }
    return render(request, "pages/board_tasks.html", context)


def _shown(request: HttpRequest, found: BoardTasks, order: str) -> PageContext:
    statistics = task_statistics(found.found.parts)
    positions = sorted(range(len(statistics)), key=lambda at: ORDERS[order](statistics[at]))
    paging: Paging = counted(page_asked(request), len(positions), TASKS_PER_PAGE)
    first = (paging.number - 1) * TASKS_PER_PAGE
    shown = positions[first : first + TASKS_PER_PAGE]
    return {
        "orders": _orders(order),
        "lines": [_line(found, at, statistics[at]) for at in shown],
        "paging": paging,
        "summary": list(_summary(statistics)),
        "maps": _maps(found, statistics),
        "is_binned": len(statistics) > MOST_COLUMNS,
        "drawn": count_text(min(len(found.rows), DRAWN_ENTRIES)),
        "left_out": _left_out(found),
    }


def _orders(chosen: str) -> list[OrderLink]:
    texts = {
        "": _("In their order"),
        "hardest": _("Hardest first"),
        "easiest": _("Easiest first"),
        "discrimination": _("Lowest discrimination first"),
    }
    return [OrderLink(value, texts[value], value == chosen) for value in ORDERS]


def _left_out(found: BoardTasks) -> str:
    if not found.samples.left_out:
        return found.left_out
    said = ngettext(
        "{count} further entry is left out, because there are too many samples.",
        "{count} further entries are left out, because there are too many samples.",
        found.samples.left_out,
    )
    return f"{said.format(count=count_text(found.samples.left_out))} {found.left_out}".strip()


def _summary(statistics: Sequence[TaskStatistics]) -> Iterator[str]:
    """The number of tasks, and of those that no entry or every entry solved."""
    yield labels.count(len(statistics), "task")
    unsolved = sum(each.entries > 0 and not each.solved for each in statistics)
    solved = sum(0 < each.entries == each.solved for each in statistics)
    if unsolved:
        yield _("no entry solved {count} of them").format(count=count_text(unsolved))
    if solved:
        yield _("every entry solved {count} of them").format(count=count_text(solved))


def _line(found: BoardTasks, at: int, statistics: TaskStatistics) -> BoardTaskLine:
    mean, discrimination = statistics.mean, statistics.discrimination
    column = found.column
    return BoardTaskLine(
        name=found.found.tasks[at],
        query=_query(found, found.found.tasks[at]),
        entries=count_text(statistics.entries),
        solved=count_text(statistics.solved),
        mean=labels.value_text(column, mean),
        who=_who(found, at, statistics),
        discrimination="–" if discrimination is None else signed_text(discrimination),
    )


def signed_text(number: float) -> str:
    """A correlation with two decimals."""
    return number_text(f"{number:z.2f}".replace("-", "\N{MINUS SIGN}"))


def _who(found: BoardTasks, at: int, statistics: TaskStatistics) -> str:
    if not statistics.entries:
        return _("not run")
    if not statistics.solved:
        return _("none")
    if statistics.solved == statistics.entries:
        return _("all")
    if statistics.solved > NAMED:
        return ""
    names = [
        line.participant.shown_name
        for line, value in zip(found.lines, found.values[:, at], strict=True)
        if value >= SOLVED - _ROUNDING
    ]
    return ", ".join(names)


def _query(found: BoardTasks, task: str) -> str:
    asked = {"task": task, "metric": found.column.key, "phase": found.about.phase}
    return urlencode({name: value for name, value in asked.items() if value})


def _maps(found: BoardTasks, statistics: Sequence[TaskStatistics]) -> list[TaskMap]:
    """The picture, the easiest task at the left; none if small values are the best."""
    if found.column.direction == "asc":
        return []
    order = sorted(range(len(statistics)), key=lambda at: ORDERS["easiest"](statistics[at]))
    shares = _shares(found, order)
    slug = found.about.challenge.slug
    entries = [_entry(slug, line) for line in found.lines[:DRAWN_ENTRIES]]
    if len(order) > MOST_COLUMNS:
        return [task_map(size, entries, [], binned(shares)) for size in SIZES]
    address = reverse("task", args=[slug])
    tasks = [
        Titled(name, name, f"{address}?{_query(found, name)}")
        for name in (found.found.tasks[at] for at in order)
    ]
    return [task_map(size, entries, tasks, shares) for size in SIZES]


def _shares(found: BoardTasks, order: Sequence[int]) -> list[list[RewardShare]]:
    """How far each entry solved each task: values above 1 are divided by the largest one."""
    largest = max(1.0, float(np.nanmax(found.values)))
    drawn = found.values[:DRAWN_ENTRIES, order] / largest
    return [
        [None if np.isnan(value) else max(0.0, value) for value in mine] for mine in drawn.tolist()
    ]


def _entry(slug: str, line: TableLine) -> Titled:
    who = line.participant
    title = _("{name}: {value}").format(name=who.shown_name, value=line.cells[0].text)
    return Titled(who.shown_name, title, reverse("participant", args=[slug, who.slug]))
