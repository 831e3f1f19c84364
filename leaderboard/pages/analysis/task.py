"""`/c/{slug}/task/?task=`: the samples of every entry of a board on one task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.pages.analysis.shared import analysed
from leaderboard.pages.analysis.task_values import BoardTasks, board_tasks, solving_text
from leaderboard.pages.analysis.tasks import signed_text
from leaderboard.pages.labels import row_labels
from leaderboard.pages.tables.board_table import TableLine
from leaderboard.pages.tables.evidence_links import links_of_task
from leaderboard.pages.tables.tasks import TaskCell, cell_of
from leaderboard.rules.ranking.board_summaries import FULL
from leaderboard.rules.rewards.evidence import RewardEvidence, Sample

SAMPLES_SHOWN: Final = 16
REWARDS_SHOWN: Final = 4


class EntrySamples(NamedTuple):
    """A reward of the samples of an entry. span: of the first line of an entry how many lines it
    has, else 0. value: of the metric over this task. evidence: links to that of its samples."""

    line: TableLine
    span: int
    value: str
    reward: str
    cells: list[TaskCell]
    error: str
    evidence: str = ""


@require_safe
@cache_control(private=True, no_cache=True)
def board_task_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?task=` names the task, `?metric=` the metric of the values beside the samples."""
    about = analysed(request, slug)
    task_values, task = board_tasks(request, about), request.GET.get("task", "")
    if task_values is None or task not in task_values.entry_parts.tasks:
        raise Http404("There is no such task.")
    at = task_values.entry_parts.tasks.index(task)
    statistics = task_values.statistics[at]
    lines = _lines(task_values, task, at)
    widest = max((len(line.cells) for line in lines), default=0)
    context = {
        **about.context("tasks"),
        "task": task,
        "column": task_values.column,
        "mean": row_labels.value_text(task_values.column, statistics.mean),
        "statistics": statistics,
        "solving": solving_text(task_values),
        "discrimination": ""
        if statistics.discrimination is None
        else signed_text(statistics.discrimination),
        "first_solver": _first_solver(task_values, at),
        "lines": [_padded(line, widest) for line in lines],
        "has_rewards": len({line.reward for line in lines}) > 1,
        "numbers": range(widest),
        "has_evidence": any(line.evidence for line in lines),
        "has_errors": any(line.error for line in lines),
        "more": any(
            len(evidence.sample_numbers) > SAMPLES_SHOWN or len(evidence.rewards) > REWARDS_SHOWN
            for evidence in task_values.samples.evidence.values()
        ),
    }
    return render(request, "pages/board_task.html", context)


def _first_solver(task_values: BoardTasks, at: int) -> TableLine | None:
    """The first of the ranked entries that solved a task, by when its attempt that counts came."""
    solvers = [
        (row.reached_at, place)
        for place, (row, solved) in enumerate(
            zip(task_values.rows, task_values.solved, strict=False)
        )
        if row.rank is not None and solved[at] == FULL
    ]
    return task_values.lines[min(solvers)[1]] if solvers else None


def _lines(task_values: BoardTasks, task: str, at: int) -> list[EntrySamples]:
    result = []
    values = task_values.values[:, at]
    links = links_of_task(task_values.samples.evidence, task)
    for row, line, value in zip(task_values.rows, task_values.lines, values, strict=True):
        if row.attempt_id is None or np.isnan(value):
            continue
        text = row_labels.value_text(task_values.column, float(value))
        of_entry = _of_entry(line, text, task_values.samples.evidence[row.attempt_id], task)
        evidence = links.get(row.attempt_id, "")
        result += [one._replace(evidence=evidence if one.span else "") for one in of_entry]
    return result


def _of_entry(
    line: TableLine, value: str, evidence: RewardEvidence, task: str
) -> list[EntrySamples]:
    at = evidence.tasks.index(task)
    (row,) = evidence.rows(at, at + 1)
    samples: Sequence[Sample] = list(evidence.samples)[at]
    error = next((sample.error for sample in samples if sample.error), "")
    rewards = [
        name for name, cells in row.cells.items() if any(cell != "undefined" for cell in cells)
    ]
    first_rewards = rewards[:REWARDS_SHOWN]
    return [
        EntrySamples(
            line,
            len(first_rewards) if not place else 0,
            value,
            reward,
            [cell_of(cell, "") for cell in row.cells[reward][:SAMPLES_SHOWN]],
            error if not place else "",
        )
        for place, reward in enumerate(first_rewards)
    ]


def _padded(line: EntrySamples, width: int) -> EntrySamples:
    """The line with as many cells as the widest one."""
    return line._replace(cells=line.cells + [TaskCell("", "")] * (width - len(line.cells)))
