"""The values of the entries of a board on its tasks, and how far each entry solved each task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from django.http import HttpRequest
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.pages.analysis.shared import Analysed, first_rows
from leaderboard.pages.labels import row_labels
from leaderboard.pages.tables.board_table import TableLine, filled, keys_in, lines
from leaderboard.pages.tables.row_kinds import KINDS
from leaderboard.pages.tables.verdict import with_certainty
from leaderboard.rules.ranking.board_summaries import FULL, NOT_RUN, Solved
from leaderboard.rules.statistics.solved import TaskScale
from leaderboard.rules.statistics.tasks import TaskStatistics, task_statistics
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.certainty import certainty_of
from leaderboard.services.competition.visible.entry_parts import (
    EntryParts,
    compared_columns,
    entry_parts,
    solved_by,
)
from leaderboard.services.competition.visible.samples import VisibleSamples, samples_of
from leaderboard.services.wrong_parameter import WrongParameter

MOST_ENTRIES: Final = 200


@dataclass(frozen=True)
class BoardTasks:
    """The values of entries on the tasks of a board, by one metric.

    scale: what solves a task; None if nothing says it. solved: how far each entry solved each task;
    empty without a scale.
    """

    about: Analysed
    columns: list[Column]
    column: Column
    rows: list[BoardRow]
    lines: list[TableLine]
    samples: VisibleSamples
    entry_parts: EntryParts
    scale: TaskScale | None
    solved: Sequence[Solved]
    left_out: str

    @property
    def values(self) -> Any:
        """Entries × tasks, NaN for a task that an entry did not run."""
        return self.entry_parts.parts.task_values

    @cached_property
    def statistics(self) -> list[TaskStatistics]:
        """Of each task."""
        return task_statistics(
            self.entry_parts.parts, np.array(self.solved) == FULL if self.scale else None
        )


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
    board_columns = row_labels.spoken(filled(ranking.columns_of(about.challenge), keys_in(rows)))
    columns = [
        column
        for column in compared_columns(config, board_columns, evidence)
        if column.key not in ECONOMICS
    ]
    asked = request.GET.get("metric", "")
    chosen = [column for column in columns if column.key == asked] if asked else columns[:1]
    if asked and not chosen:
        raise WrongParameter.one_of("metric", asked, [column.key for column in columns])
    parts = entry_parts(config, chosen[0], evidence) if chosen else None
    if parts is None:
        return None
    (column,) = chosen
    by_rule = solved_by(config, column, evidence)
    scale, solved = by_rule if by_rule else (None, [])
    return BoardTasks(
        about,
        columns,
        column,
        rows,
        with_certainty(certainty_of(about.board, rows), rows, lines([column], rows)),
        samples,
        parts,
        scale,
        [[mine.get(task, NOT_RUN) for task in parts.tasks] for mine in solved],
        left_out,
    )


def solving_text(task_values: BoardTasks) -> str:
    """What solves a task, in words."""
    if task_values.scale is None:
        return _("Nothing declares the best value of the reward, so that no task counts as solved.")
    best = row_labels.value_text(task_values.column, task_values.scale.best)
    return _("An entry solved a task if it reaches the best value, {best}.").format(best=best)
