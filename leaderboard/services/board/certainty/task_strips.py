"""How far the entries of a board solved each task, from the evidence of their attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final
from uuid import UUID

from leaderboard.columns import Column
from leaderboard.models import Attempt, Board, Evidence
from leaderboard.rules.ranking.board_summaries import Strips, strips_of
from leaderboard.rules.statistics.solved import EntryTasks, solved_percentages, task_scale
from leaderboard.schemas.metrics import spec_of
from leaderboard.services.board.certainty.board_parts import tasks_by
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.evaluation.metrics import metric_of

MOST_SAMPLES: Final = 100_000
"""Samples that are read for one board: reading them takes up to a second."""
MOST_TASKS: Final = 20_000
_AT_ONCE: Final = 50

_Condition = Callable[[str], bool]


def task_strips(board: Board, rows: Sequence[BoardRow]) -> Strips | None:
    """The strips of the first rows, by the first column whose values are sums over tasks.

    They show the tasks that readers may see the results of: of a split challenge, the public ones
    until its end. None if no row has samples, and on a board of means, whose values are over
    several attempts.
    """
    measured = None if board.counting == "mean" else _measured(board)
    spec = spec_of(measured.key, board.config.metric_specs) if measured else None
    if measured is None or spec is None:
        return None
    config = board.config
    takes = _both(config.counts(board.phase_id), config.shows(board.phase_id))
    entries: dict[str, EntryTasks] = {}
    tasks = 0
    for attempt, evidence in _evidence(rows):
        mine = tasks_by(spec, measured.key, evidence.under(config, takes))
        if mine is not None and mine.tasks:
            entries[attempt] = mine
            tasks = max(tasks, len(mine.tasks))
    scale = task_scale(measured.direction, entries.values())
    if tasks > MOST_TASKS or scale is None or scale.worst is None:
        return None
    solved = {who: solved_percentages(mine, scale) for who, mine in entries.items()}
    return strips_of(measured.key, solved)


def _measured(board: Board) -> Column | None:
    """The first column of a metric whose values are quotients of sums over tasks."""
    specs = board.config.metric_specs
    columns = columns_of(board.challenge)
    return next((column for column in columns if metric_of(spec_of(column.key, specs))), None)


def _both(one: _Condition | None, other: _Condition | None) -> _Condition | None:
    if one is None or other is None:
        return one or other
    return lambda task: one(task) and other(task)


def _evidence(rows: Sequence[BoardRow]) -> Iterator[tuple[str, Evidence]]:
    """The evidence of the rows' attempts, the first rows first, up to the limit of samples."""
    ids = [row.attempt_id for row in rows if row.attempt_id is not None]
    counts = dict(
        Attempt.objects.filter(pk__in=ids, sample_count__gt=0).values_list("pk", "sample_count")
    )
    wanted: list[UUID] = []
    total = 0
    for attempt in ids:
        total += counts.get(attempt) or 0
        if total > MOST_SAMPLES and wanted:
            break
        if attempt in counts:
            wanted.append(attempt)
    for first in range(0, len(wanted), _AT_ONCE):
        some = wanted[first : first + _AT_ONCE]
        evidence_by_attempt = {
            evidence.pk: evidence
            for evidence in Evidence.objects.only("samples", "rulings").filter(pk__in=some)
        }
        yield from ((pk.hex, evidence_by_attempt[pk]) for pk in some if pk in evidence_by_attempt)
