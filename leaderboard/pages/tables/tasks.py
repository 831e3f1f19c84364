"""The tasks of an attempt as a table: a row per task and reward, a column per sample.

Rewards that a task does not have take no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from leaderboard.columns.column import NOTHING
from leaderboard.languages.translation import count_text
from leaderboard.models import Evidence, ScoringConfig
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.paging import Paging, counted, page_asked
from leaderboard.rules.rewards import evidence as rewards
from leaderboard.rules.rewards.evidence import RewardCell, Sample, TaskRow

TASKS_PER_PAGE = 200
SAMPLES_SHOWN = 32
REWARDS_SHOWN = 8
ERRORS_SHOWN = 50
SHADES = 4
"""The shades of cells, from none of 0 to that of the highest reward."""


class TaskCell(NamedTuple):
    """One reward of one sample: its number, or its state as text."""

    text: str
    state: str
    hint: str = ""


class TaskLine(NamedTuple):
    """One reward of one task. `span` of the first line of a task is how many it has, else 0.

    `cells` are HTML: a page has some thousand of them, and most are alike. `evidence`: links.
    """

    task: str
    span: int
    reward: str
    cells: SafeString
    evidence: str = ""


class SampleError(NamedTuple):
    task: str
    sample: int
    error: str


@dataclass(frozen=True, slots=True)
class TaskTable:
    """Some tasks of an attempt. `left_out`: a sentence about the parts that are not shown."""

    samples: list[int]
    has_rewards: bool
    lines: list[TaskLine]
    errors: list[SampleError]
    summary: str
    left_out: list[str]
    paging: Paging
    has_evidence: bool = False


def task_table(
    request: HttpRequest,
    stored: Evidence,
    config: ScoringConfig,
    shows: Callable[[str], bool] | None,
    links: Mapping[str, SafeString],
) -> TaskTable:
    """The page of tasks that `?tasks=2` requests. Raises Http404 for a page after the end.

    shows: whether a task is shown, by its name; None for all. links: to evidence, by task.
    """
    evidence = stored.under(config, shows)
    paging = counted(page_asked(request, "tasks"), len(evidence.tasks), TASKS_PER_PAGE, "tasks")
    first = (paging.number - 1) * TASKS_PER_PAGE
    rewards_shown = evidence.rewards[:REWARDS_SHOWN]
    numbers = evidence.sample_numbers[:SAMPLES_SHOWN]
    here = list(evidence.samples)[first : first + TASKS_PER_PAGE]
    errors = {
        (sample.task, sample.sample): sample.error
        for ordered in here
        for sample in ordered
        if sample.error
    }
    rows = list(evidence.rows(first, first + TASKS_PER_PAGE))
    highest = {reward: _highest(rows, reward) for reward in rewards_shown}
    return TaskTable(
        samples=numbers,
        has_rewards=len(rewards_shown) > 1,
        lines=[
            line._replace(evidence=links.get(line.task, "") if line.span else "")
            for row in rows
            for line in _lines(row, highest, numbers, errors)
        ],
        has_evidence=bool(links),
        errors=list(_errors(here)),
        summary=_summary(evidence),
        left_out=list(_left_out(evidence)),
        paging=paging,
    )


def _lines(
    row: TaskRow,
    highest: Mapping[str, float],
    numbers: Sequence[int],
    errors: dict[tuple[str, int], str],
) -> Iterator[TaskLine]:
    """highest: of each reward that is shown, the highest of the page."""
    rewards_shown = list(highest)
    if not rewards_shown:
        yield TaskLine(row.task, 1, "", _html(_cell_html("not_run", "") for _ in numbers))
    defined = [
        reward for reward in rewards_shown if any(cell != "undefined" for cell in row.cells[reward])
    ] or rewards_shown[:1]
    for at, reward in enumerate(defined):
        cells = (
            _cell_html(
                cell,
                errors.get((row.task, number), "") if cell == "failed" else "",
                _shade(cell, highest[reward]),
            )
            for number, cell in zip(numbers, row.cells[reward], strict=False)
        )
        yield TaskLine(row.task, 0 if at else len(defined), reward, _html(cells))


def _html(cells: Iterable[str]) -> SafeString:
    return mark_safe("".join(cells))  # noqa: S308 - of `_cell_html`, which escapes


def _highest(rows: Iterable[TaskRow], reward: str) -> float:
    """The highest of a reward on a page; 1 if there is none."""
    cells = (cell for row in rows for cell in row.cells[reward])
    return max((cell for cell in cells if not isinstance(cell, str)), default=1.0, key=float)


def _shade(cell: RewardCell, highest: float) -> int:
    """How dark a cell is, from 0 to `SHADES`; a share of 1 at least is dark."""
    if isinstance(cell, str) or cell <= 0:
        return 0
    return round(SHADES * min(1.0, cell / max(1.0, highest)))


def _cell_html(cell: RewardCell, error: str, shade: int = 0) -> SafeString:
    return _cell_in(get_language(), cell, error, shade)


@lru_cache(maxsize=4096)
def _cell_in(language: str | None, cell: RewardCell, error: str, shade: int) -> SafeString:
    """A cell in the active language, which is a parameter for the cache's key."""
    task_cell = cell_of(cell, error)
    classes = f"number {task_cell.state}".rstrip() + (f" shade-{shade}" if shade else "")
    if task_cell.hint:
        text = format_html('<abbr title="{}">{}</abbr>', task_cell.hint, task_cell.text)
        return format_html('<td class="{}">{}</td>', classes, text)
    return format_html('<td class="{}">{}</td>', classes, task_cell.text)


def cell_of(cell: RewardCell, error: str) -> TaskCell:
    """A cell in the reader's language. error: why the sample failed."""
    match cell:
        case "failed":
            return TaskCell(_("failed"), "failed", error)
        case "not_run":
            return TaskCell(_("not run"), "not-run")
        case "undefined":
            return TaskCell(
                NOTHING, "undefined", _("Undefined: the task does not have this reward")
            )
        case value:
            return TaskCell(row_labels.number(value), "")


def _errors(here: Sequence[Sequence[Sample]]) -> Iterator[SampleError]:
    failed_samples = (sample for ordered in here for sample in ordered if sample.error)
    for sample in islice(failed_samples, ERRORS_SHOWN):
        yield SampleError(sample.task, sample.sample, sample.error)


def _summary(evidence: rewards.RewardEvidence) -> str:
    run = [len(ordered) for ordered in evidence.samples]
    tasks, samples = row_labels.count(len(run), "task"), row_labels.count(sum(run), "sample")
    missing = run.count(0)
    if not missing:
        return _("{tasks}, {samples}").format(tasks=tasks, samples=samples)
    return ngettext(
        "{tasks}, {samples}; {count} task not run",
        "{tasks}, {samples}; {count} tasks not run",
        missing,
    ).format(tasks=tasks, samples=samples, count=count_text(missing))


def _left_out(evidence: rewards.RewardEvidence) -> Iterator[str]:
    if (samples := len(evidence.sample_numbers)) > SAMPLES_SHOWN:
        yield _("{shown} of {total} samples of a task shown").format(
            shown=SAMPLES_SHOWN, total=count_text(samples)
        )
    if (names := len(evidence.rewards)) > REWARDS_SHOWN:
        yield _("{shown} of {total} rewards shown").format(shown=REWARDS_SHOWN, total=names)
