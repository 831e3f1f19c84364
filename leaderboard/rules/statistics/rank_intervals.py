"""Rank intervals: confidence intervals for the ranks of entries.

Each is the union of two intervals. The first counts the certainly better and certainly worse
entries, by paired tests that are corrected within the entry (Holm): with k better ones, the best
rank is k + 1. This is the marginal confidence set of Mogstad, Romano, Shaikh and Wilhelm (2024,
"Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement
across Countries"), with Holm's correction instead of a bootstrapped one. The second is the
bootstrap over tasks, whose percentiles alone contain the true rank far too rarely if entries are
close. Each union contains the true rank in at least 95 of 100 cases.

Rank intervals never contradict the verdict: as there, only the leader's comparisons decide whether
an entry is certainly worse than the leader, not the entry's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leaderboard.rules.statistics.pairwise import MIN_SHARED, Pairs
from leaderboard.rules.statistics.parts import Counts, Flags, TaskParts
from leaderboard.rules.statistics.redrawn import DRAWS, redrawn_ranks

NoRankInterval = Literal["no_samples", "few_tasks"]
"""Why an entry has no rank interval: it has no tasks at all, or fewer than 8."""


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The rank interval from `best` to `worst`; both are None if there is a `reason`.

    first_share: the share of bootstrap samples in which the entry is first, 0 to 1. This is not the
    probability that it is the best entry.
    """

    best: int | None = None
    worst: int | None = None
    first_share: float | None = None
    reason: NoRankInterval | None = None


def rank_intervals(
    parts: TaskParts, *, seed: int, ranks: Sequence[int] | None = None, draws: int = DRAWS
) -> list[RankInterval]:
    """The rank interval of each ranked entry of a board, among these entries.

    parts: every ranked entry is a row. All tasks of an entry without samples are missing, so it may
    have any rank. seed: the version of the board, 0 or more; the same version has the same
    intervals. ranks: as the board shows them; without them, those of the values. An interval
    contains the rank that is shown.
    """
    if not parts.entries:
        return []
    tasks = parts.tasks
    if int(tasks.max()) < MIN_SHARED:
        return [_none(int(task)) for task in tasks]
    board_ranks = parts.ranks() if ranks is None else np.asarray(ranks)
    drawn = redrawn_ranks(parts, seed, draws)
    tested = ranks_by_tests(parts, board_ranks)
    best = np.minimum.reduce([tested.best, drawn.best, board_ranks])
    worst = np.maximum.reduce([tested.worst, drawn.worst, board_ranks])
    best[tested.behind] = np.maximum(best[tested.behind], 2)
    if np.count_nonzero(tested.behind) == parts.entries - 1:
        worst[~tested.behind] = 1
    return [
        RankInterval(int(best[row]), int(worst[row]), float(drawn.first[row]))
        if tasks[row] >= MIN_SHARED
        else _none(int(tasks[row]))
        for row in range(parts.entries)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class RanksByTests:
    """By entry: the best and the worst rank by the paired tests alone, and whether it is certainly
    worse than each entry at the first rank."""

    best: Counts
    worst: Counts
    behind: Flags


def ranks_by_tests(parts: TaskParts, board_ranks: Counts) -> RanksByTests:
    """Count certainly better and worse entries. board_ranks: as the board shows them."""
    pairs = Pairs(parts)
    leaders = np.flatnonzero(board_ranks == board_ranks.min())
    behind = pairs.behind(leaders)
    best, worst = np.empty_like(board_ranks), np.empty_like(board_ranks)
    for block in pairs.blocks():
        better = block.worse
        leading = better[:, leaders].sum(axis=1)
        ahead = np.where(behind[block.rows], np.maximum(leading, 1), 0)
        best[block.rows] = 1 + better.sum(axis=1) - leading + ahead
        worst[block.rows] = parts.entries - block.better.sum(axis=1)
    worst[leaders] = parts.entries - np.count_nonzero(behind)
    return RanksByTests(best, worst, behind)


def _none(tasks: int) -> RankInterval:
    return RankInterval(reason="few_tasks" if tasks else "no_samples")
