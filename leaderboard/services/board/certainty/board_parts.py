"""What each task adds to the ranked value of the entries of a board, from their evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple
from uuid import UUID

from leaderboard.models import Attempt, Board, Evidence
from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.rewards.cells import is_reported
from leaderboard.rules.rewards.clusters import cluster_numbers
from leaderboard.rules.rewards.evidence import RewardEvidence
from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval, bounds_of
from leaderboard.rules.rewards.metric_inputs import MetricInput
from leaderboard.rules.statistics.metric_parts import (
    MetricParts,
    has_too_large_parts,
    joined_parts,
    metric_parts,
)
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.solved import EntryTasks, entry_tasks
from leaderboard.rules.statistics.verdicts import NoParts
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.evaluation.metrics import metric_of

MOST_ENTRIES: Final = 500
MOST_SAMPLES: Final = 500_000
"""Samples that are read for one board: reading them takes some seconds."""
MOST_TASKS: Final = 20_000
MOST_NUMBERS: Final = 1_000_000
"""Entries × tasks that are compared: this takes some seconds and 100 MB."""
_AT_ONCE: Final = 50


class BoardParts(NamedTuple):
    """The parts of the first entries of a board.

    why: the reason if there are none. compared: how many entries there are; the others exceed the
    limits of this module. too_large: the entries whose rewards are too large to be compared; they
    have no parts. bounds: the lowest and the highest possible value.
    tasks: their names, by column.
    """

    parts: TaskParts | None
    compared: int
    why: NoParts | None = None
    too_large: frozenset[int] = frozenset()
    bounds: Interval = UNBOUNDED
    tasks: Sequence[str] = ()


def parts_of(board: Board, rows: Sequence[BoardRow]) -> BoardParts:
    """The parts of the first ranked rows of a board. rows: up to 500, best first.

    All tasks of a row without samples are missing. Loads the phase and the config.
    """
    config = board.ranked_by
    key = config.ranking.keys[0]
    spec = spec_of(key.key, config.metric_specs)
    metric = metric_of(spec)
    if spec is None or metric is None:
        return BoardParts(None, len(rows), "no_parts")
    if board.counting == "mean":
        return BoardParts(None, len(rows), "mean_of_attempts")
    counts = config.counts(board.phase_id)
    parts: list[MetricParts | None] = []
    too_large: set[int] = set()
    tasks: dict[str, int] = {}
    bounds = UNBOUNDED
    for row, evidence in _with_evidence(rows):
        rewards = evidence.under(config, counts) if evidence else None
        metric_input = _metric_input(key, spec, row, rewards) if rewards else None
        mine = _parts(key, metric, row, metric_input) if metric_input else None
        if metric_input and mine is None and has_too_large_parts(metric, metric_input):
            too_large.add(len(parts))
        if metric_input and not parts:
            bounds = bounds_of(metric, metric_input.packed.values, metric_input.bounds)
        new = [task for task in mine.tasks if task not in tasks] if mine else []
        width = len(tasks) + len(new)
        if len(parts) > 1 and (len(parts) + 1) * width > MOST_NUMBERS:
            break
        if width > MOST_TASKS:
            return BoardParts(None, len(rows), "too_large")
        tasks.update((task, at) for at, task in enumerate(new, start=len(tasks)))
        parts.append(mine)
    clusters = cluster_numbers([*tasks], config.task_clusters)
    joined = joined_parts(parts, tasks, key.direction, clusters)
    return BoardParts(joined, len(parts), None, frozenset(too_large), bounds, [*tasks])


def tasks_by(spec: MetricSpec | None, key: str, rewards: RewardEvidence) -> EntryTasks | None:
    """The tasks of an attempt by one value of a metric; None unless the metric has parts."""
    metric = metric_of(spec)
    if spec is None or metric is None:
        return None
    reward = dict(spec.keys(rewards.rewards)).get(key)
    return entry_tasks(
        metric, rewards, reward, failed=spec.failed, undefined=spec.undefined, group=spec.group
    )


def _with_evidence(rows: Sequence[BoardRow]) -> Iterator[tuple[BoardRow, Evidence | None]]:
    """Rows with the evidence of their attempts, up to the limit of samples."""
    ids = [attempt for row in rows if (attempt := row.attempt_id)]
    counts = dict(Attempt.objects.filter(pk__in=ids).values_list("pk", "sample_count"))
    sums = accumulate((counts.get(row.attempt_id) or 0) if row.attempt_id else 0 for row in rows)
    within = sum(total <= MOST_SAMPLES for total in sums)
    for first in range(0, max(within, 2), _AT_ONCE):
        those = rows[first : min(first + _AT_ONCE, max(within, 2))]
        evidence_by_attempt = _evidence([row.attempt_id for row in those if row.attempt_id])
        for row in those:
            yield row, evidence_by_attempt.get(row.attempt_id) if row.attempt_id else None


def _evidence(attempts: Sequence[UUID]) -> dict[UUID, Evidence]:
    return {
        evidence.pk: evidence
        for evidence in Evidence.objects.only("samples", "rulings").filter(pk__in=attempts)
    }


def _metric_input(
    key: RankKey, spec: MetricSpec, row: BoardRow, rewards: RewardEvidence
) -> MetricInput | None:
    """The rewards behind the value of a row; None for a value that is not computed from them."""
    cell = row.cells.get(key.key)
    if cell is None or is_reported(cell):
        return None
    reward = dict(spec.keys(rewards.rewards)).get(key.key)
    return rewards.metric_input(
        reward, failed=spec.failed, undefined=spec.undefined, group=spec.group
    )


def _parts(
    key: RankKey, metric: Any, row: BoardRow, metric_input: MetricInput
) -> MetricParts | None:
    """The parts of one row; None unless they give the value that the board shows."""
    parts = metric_parts(metric, metric_input)
    if parts is None or not parts.below.sum() > 0.0:
        return None
    value = float(parts.above.sum() / parts.below.sum())
    board_value = row.values.get(key.key, math.nan)
    return parts if math.isclose(value, board_value, rel_tol=1e-6, abs_tol=1e-9) else None
