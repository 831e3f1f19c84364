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

from leaderboard.rules.rewards.clusters import effective_clusters
from leaderboard.rules.statistics.pairwise import MIN_SHARED, Pairs, are_comparable, is_certain
from leaderboard.rules.statistics.parts import Counts, Flags, Floats, TaskParts
from leaderboard.rules.statistics.probabilities import holm
from leaderboard.rules.statistics.redrawn import DRAWS, redrawn_ranks

NoRankInterval = Literal["no_samples", "few_tasks", "few_groups"]
"""Why an entry has no rank interval: it has no tasks at all, or fewer than 8; or its tasks form
fewer than 8 clusters, or very unequal ones."""


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The rank interval from `best` to `worst`; both are None if there is a `reason`.

    all_best, all_worst: the simultaneous interval, see `simultaneous_ranks`.
    first_share: the share of bootstrap samples in which the entry is first, 0 to 1. This is not the
    probability that it is the best entry.
    """

    best: int | None = None
    worst: int | None = None
    first_share: float | None = None
    reason: NoRankInterval | None = None
    all_best: int | None = None
    all_worst: int | None = None


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
    reasons = _reasons(parts)
    if all(reasons):
        return [RankInterval(reason=reason) for reason in reasons]
    board_ranks = parts.ranks() if ranks is None else np.asarray(ranks)
    drawn = redrawn_ranks(parts, seed, draws)
    tested = ranks_by_tests(parts, board_ranks)
    best = np.minimum.reduce([tested.best, drawn.best, board_ranks])
    worst = np.maximum.reduce([tested.worst, drawn.worst, board_ranks])
    best[tested.behind] = np.maximum(best[tested.behind], 2)
    if np.count_nonzero(tested.behind) == parts.entries - 1:
        worst[~tested.behind] = 1
    all_best = np.minimum(tested.all_best, board_ranks)
    all_worst = np.maximum(tested.all_worst, board_ranks)
    ends = zip(best.tolist(), worst.tolist(), drawn.first.tolist(), strict=True)
    all_ends = zip(all_best.tolist(), all_worst.tolist(), strict=True)
    return [
        RankInterval(reason=reason) if reason else RankInterval(*end, None, *all_end)
        for reason, end, all_end in zip(reasons, ends, all_ends, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class RanksByTests:
    """By entry: the best and the worst rank by the paired tests alone, and whether it is certainly
    worse than each entry at the first rank. all_best, all_worst: the simultaneous ones."""

    best: Counts
    worst: Counts
    behind: Flags
    all_best: Counts
    all_worst: Counts


def ranks_by_tests(parts: TaskParts, board_ranks: Counts) -> RanksByTests:
    """Count certainly better and worse entries. board_ranks: as the board shows them."""
    pairs = Pairs(parts)
    leaders = np.flatnonzero(board_ranks == board_ranks.min())
    behind = pairs.behind(leaders)
    best, worst = np.empty_like(board_ranks), np.empty_like(board_ranks)
    p, leads = np.empty((2, parts.entries, parts.entries))
    for block in pairs.blocks():
        better = block.worse
        leading = better[:, leaders].sum(axis=1)
        ahead = np.where(behind[block.rows], np.maximum(leading, 1), 0)
        best[block.rows] = 1 + better.sum(axis=1) - leading + ahead
        worst[block.rows] = parts.entries - block.better.sum(axis=1)
        p[block.rows], leads[block.rows] = block.p, block.leads
    worst[leaders] = parts.entries - np.count_nonzero(behind)
    return RanksByTests(best, worst, behind, *simultaneous_ranks(p, leads))


def simultaneous_ranks(p: Floats, leads: Floats) -> tuple[Counts, Counts]:
    """The best and the worst rank of each entry, so that all are right together in 95 of 100 cases.

    p, leads: of each entry against each other one; NaN for pairs that cannot be compared. All pairs
    are corrected together (Holm). An entry ranks behind those that are certainly better, and before
    those that are certainly worse. (A bootstrap of the largest difference is too narrow with few
    tasks.)
    """
    entries = len(p)
    rows, columns = np.triu_indices(entries, 1)
    certain = is_certain(holm(p[rows, columns]))
    leading = leads[rows, columns] > 0.0
    winners = np.where(leading, rows, columns)[certain]
    losers = np.where(leading, columns, rows)[certain]
    best = 1 + np.bincount(losers, minlength=entries)
    return best, entries - np.bincount(winners, minlength=entries)


def _reasons(parts: TaskParts) -> list[NoRankInterval | None]:
    """Why entries have no interval; None for those that have one."""
    tasks, units = parts.tasks, parts.by_cluster()
    with np.errstate(divide="ignore", invalid="ignore"):
        count = units.tasks.astype(float)
        effective = count if parts.clusters is None else effective_clusters(units.below)
    fits = are_comparable(count, effective - 1.0)
    return [
        None if enough else _few(number)
        for enough, number in zip(fits, tasks.tolist(), strict=True)
    ]


def _few(tasks: int) -> NoRankInterval:
    return "few_groups" if tasks >= MIN_SHARED else "few_tasks" if tasks else "no_samples"
