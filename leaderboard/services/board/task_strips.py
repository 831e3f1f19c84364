"""How far the entries of a board solved each task, from the evidence of their attempts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from leaderboard.models import Attempt, Board, Evidence, ScoringConfig
from leaderboard.rules.board_summaries import (
    FAILED,
    NOT_RUN,
    UNDEFINED,
    Strips,
    percentage,
    strips_of,
)
from leaderboard.rules.rewards import RewardCell, RewardEvidence
from leaderboard.rules.statistics.metric_parts import metric_parts
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.services.board.board_parts import metric_of
from leaderboard.services.board.ranking import columns_of
from leaderboard.services.board.rows import BoardRow

MOST_SAMPLES: Final = 100_000
"""Samples that are read for one board: reading them takes up to a second."""
MOST_TASKS: Final = 20_000
_AT_ONCE: Final = 50

StripState = int
"""A state of `rules.board_summaries`: failed, undefined or not run."""
_Condition = Callable[[str], bool]


class _Measured(NamedTuple):
    """The metric that strips show. key: that of its column; metric: what computes it.

    small_is_best: then 0 is all that can be reached.
    """

    key: str
    spec: MetricSpec
    metric: Any
    small_is_best: bool


def task_strips(board: Board, rows: Sequence[BoardRow]) -> Strips | None:
    """The strips of the first rows, by the first column whose values are sums over tasks.

    They show the tasks that readers may see the results of: of a split challenge, the public ones
    until its end. None if no row has samples, and on a board of means, whose values are over
    several attempts.
    """
    measured = None if board.counting == "mean" else _measured(board)
    if measured is None:
        return None
    config = board.config
    takes = _both(config.counts(board.phase_id), config.shows(board.phase_id))
    entries: dict[str, Mapping[str, float | StripState]] = {}
    highest, tasks = 1.0, 0
    for attempt, evidence in _evidence(rows):
        rewards = evidence.under(config, takes)
        mine, top = _entry(measured, rewards)
        if mine:
            entries[attempt], highest = mine, max(highest, top)
            tasks = max(tasks, len(mine))
    if tasks > MOST_TASKS:
        return None
    inverse = measured.small_is_best
    percentages = {
        who: _percentages(mine, highest, inverse=inverse) for who, mine in entries.items()
    }
    return strips_of(measured.key, percentages)


def _measured(board: Board) -> _Measured | None:
    config: ScoringConfig = board.config
    for column in columns_of(board.challenge):
        spec = spec_of(column.key, config.metric_specs)
        metric = metric_of(spec)
        if spec is not None and metric is not None:
            return _Measured(column.key, spec, metric, column.direction == "asc")
    return None


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
        known = {each.pk: each for each in Evidence.objects.only("samples").filter(pk__in=some)}
        yield from ((pk.hex, known[pk]) for pk in some if pk in known)


def _entry(
    measured: _Measured, rewards: RewardEvidence
) -> tuple[dict[str, float | StripState], float]:
    """The tasks of an entry, with the value or the state of each, and the highest value.

    The highest value is the declared bound of the reward, if it has one.
    """
    spec = measured.spec
    reward = dict(spec.keys(rewards.rewards)).get(measured.key)
    seen = rewards.seen(reward, failed=spec.failed, undefined=spec.undefined, group=spec.group)
    parts = metric_parts(measured.metric, seen)
    values: dict[str, float] = {}
    if parts is not None:
        there = zip(parts.tasks, parts.above.tolist(), parts.below.tolist(), strict=True)
        values = {task: above / below for task, above, below in there if below > 0.0}
    asked = set(seen.tasks) if spec.group else None
    found: dict[str, float | StripState] = {}
    for task, cells in zip(rewards.tasks, rewards.cells(reward), strict=True):
        if asked is None or task in asked:
            found[task] = _solved(values.get(task), cells)
    bound = seen.bounds[1]
    return found, bound if math.isfinite(bound) else max(values.values(), default=1.0)


def _solved(value: float | None, cells: Sequence[RewardCell]) -> float | StripState:
    """The value of a task, or its state if it has none, or if all its samples failed."""
    lost = [cell for cell in cells if cell == "failed"]
    if lost and len(lost) == len(cells):
        return FAILED
    if value is not None:
        return max(0.0, float(value))
    if not cells:
        return NOT_RUN
    return FAILED if lost else UNDEFINED


def _percentages(
    mine: Mapping[str, float | StripState], highest: float, *, inverse: bool
) -> dict[str, int]:
    """inverse: 0 is solved, and the highest value is not."""
    shares = {task: solved / highest for task, solved in mine.items() if isinstance(solved, float)}
    states = {task: solved for task, solved in mine.items() if not isinstance(solved, float)}
    found = {task: percentage(1.0 - share if inverse else share) for task, share in shares.items()}
    return {task: states.get(task, found.get(task, UNDEFINED)) for task in mine}
