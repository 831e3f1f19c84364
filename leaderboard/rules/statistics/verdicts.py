"""The verdict of a board as data: the leader, and the entries that may be as good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from leaderboard.rules.rewards.intervals import UNBOUNDED, Interval
from leaderboard.rules.statistics.comparisons import around
from leaderboard.rules.statistics.leader_intervals import leader_interval
from leaderboard.rules.statistics.pairwise import MIN_SHARED, PairBlock, Pairs
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.probabilities import LEVEL
from leaderboard.rules.statistics.smallest_difference import (
    SmallestDifference,
    Spread,
    smallest_difference,
)

VerdictState = Literal[
    "alone",
    "no_samples",
    "too_few_tasks",
    "few_groups",
    "not_the_same_tasks",
    "not_told_apart",
    "clear_lead",
]
"""The states of a verdict; the first that applies:

alone: there is no other ranked entry.
no_samples: the values come without samples, so their variance is unknown.
too_few_tasks: the leader shares fewer than 8 tasks with each other entry because it or they have no
more, or so few that a lead of 0/1 rewards would not be certain even if it were on all of them.
few_groups: the tasks that the leader shares with each other entry form fewer than 8 clusters, or
very unequal ones.
not_the_same_tasks: the leader shares fewer than 8 tasks with each other entry although they have
more, or no task at all; or another entry is certainly better on the tasks that both have.
not_told_apart: at least one other entry is not certainly worse.
clear_lead: all others are certainly worse.
"""

NoParts = Literal["no_samples", "no_parts", "mean_of_attempts", "too_large", "too_large_rewards"]
"""Why the entries of a board cannot be compared: they come without samples; the value that ranks is
no mean over tasks; each value is the mean of several attempts; there are too many tasks; rewards
are too large to be squared."""

SAME_TASKS: Final = 0.8
"""Two entries ran the same tasks if they share this part of the tasks of either."""
_LOOKED_AT: Final = 10
"""Entries after the leader that are used to estimate the smallest difference."""


@dataclass(frozen=True, slots=True)
class Rival:
    """An entry behind the leader, compared with it over the tasks that both have.

    lead: by how much the leader is better, in the unit of the values; negative if it is worse over
    these tasks; None without shared tasks. interval: of the lead, 95 %, of this pair alone. p:
    corrected for all comparisons of the leader (Holm), None below 8 shared tasks or clusters.
    told_apart: all leaders are certainly better. is_better: the entry is certainly better than the
    leader. same_tasks: they share 80 % of the tasks of either.
    """

    entry: int
    shared: int
    lead: float | None
    interval: Interval | None = None
    p: float | None = None
    told_apart: bool = False
    is_better: bool = False
    same_tasks: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict about the first entry of a board. Entries are identified by their rows.

    leaders: those at the first rank; rivals are compared with the first of them. value, interval,
    tasks: of this leader, as the board shows them. rivals: the others, by rank. smallest: the
    smallest difference that the board can show, in the states `not_told_apart` and `clear_lead`.
    clusters: how many clusters the tasks of the leader form; None if tasks are independent.
    best: the entries of which one is the best, on 95 of 100 boards.
    """

    state: VerdictState
    leaders: tuple[int, ...]
    value: float
    interval: Interval | None = None
    tasks: int = 0
    rivals: tuple[Rival, ...] = ()
    smallest: SmallestDifference | None = None
    clusters: int | None = None
    best: tuple[int, ...] = ()

    @property
    def not_told_apart(self) -> tuple[int, ...]:
        """The rivals that may be as good as the leader."""
        return tuple(rival.entry for rival in self.rivals if not rival.told_apart)


def verdict(
    parts: TaskParts | None,
    *,
    values: Sequence[float],
    ranks: Sequence[int],
    interval: Interval | None = None,
    bounds: Interval = UNBOUNDED,
) -> Verdict:
    """The verdict over all ranked entries of a board.

    parts: of the ranked value; all tasks of an entry without samples are missing; None if the value
    has no parts, such as a scorer's. values, ranks: as the board shows them, at least one.
    interval: of the first leader's value, as the board shows it. bounds: the lowest and the highest
    possible value. Raises ValueError without entries.
    """
    if not len(values):
        raise ValueError("values: at least one ranked entry; got none")
    first = min(ranks)
    leaders = tuple(row for row, rank in enumerate(ranks) if rank == first)
    followers = sorted(
        (row for row in range(len(values)) if ranks[row] != first), key=ranks.__getitem__
    )
    value = float(values[leaders[0]])
    tasks = 0 if parts is None else int(parts.tasks[leaders[0]])
    if len(values) == 1:
        return Verdict("alone", leaders, value, interval, tasks)
    if parts is None or not tasks or np.count_nonzero(parts.tasks) == 1:
        leads = [Rival(row, 0, abs(value - float(values[row]))) for row in followers]
        return Verdict("no_samples", leaders, value, interval, tasks, tuple(leads))
    if interval is not None:
        interval = leader_interval(parts, leaders[0], len(values), bounds) or interval
    return _compared(parts, leaders, followers, value, interval)


def _compared(
    parts: TaskParts,
    leaders: tuple[int, ...],
    followers: list[int],
    value: float,
    interval: Interval | None,
) -> Verdict:
    """Of entries with samples."""
    pairs = Pairs(parts)
    block = pairs.block(np.array(leaders[:1]))
    rivals = _rivals(parts, block, pairs.behind(leaders).tolist(), followers)
    state = _state(parts, pairs, block, leaders, rivals)
    smallest = None
    if state in ("not_told_apart", "clear_lead"):
        smallest = _smallest(pairs, block, leaders, rivals)
    tasks, clusters = int(parts.tasks[leaders[0]]), None
    if parts.clusters is not None:
        clusters = int(parts.numbers_of_clusters()[leaders[0]])
    return Verdict(state, leaders, value, interval, tasks, tuple(rivals), smallest, clusters)


def _rivals(
    parts: TaskParts, block: PairBlock, behind: list[bool], followers: list[int]
) -> list[Rival]:
    tasks = parts.tasks
    most = np.maximum(tasks, tasks[block.rows[0]])
    better, same = block.worse[0], block.shared[0] >= SAME_TASKS * most
    rivals = []
    for row in followers:
        shared = int(block.shared[0, row])
        lead, error = float(block.leads[0, row]), float(block.errors[0, row])
        compared = not np.isnan(block.p[0, row])
        rivals.append(
            Rival(
                row,
                shared,
                lead if shared else None,
                around(lead, error, float(block.freedom[0, row])) if compared else None,
                float(block.corrected[0, row]) if compared else None,
                told_apart=behind[row],
                is_better=bool(better[row]),
                same_tasks=bool(same[row]),
            )
        )
    return rivals


def _state(
    parts: TaskParts,
    pairs: Pairs,
    block: PairBlock,
    leaders: tuple[int, ...],
    rivals: list[Rival],
) -> VerdictState:
    comparable = np.flatnonzero(~np.isnan(block.p[0]))
    if not comparable.size:
        shared_tasks = np.delete(block.shared[0], block.rows[0])
        if parts.clusters is not None and shared_tasks.max() >= MIN_SHARED:
            return "few_groups"
        return "not_the_same_tasks" if _are_apart(parts, block) else "too_few_tasks"
    only_shares = pairs.are_shares[[*comparable, leaders[0]]].all()
    least_p = 2.0 * 0.5 ** block.shared[0, comparable].max()
    if only_shares and least_p >= LEVEL / comparable.size:
        return "too_few_tasks"
    if any(rival.is_better for rival in rivals):
        return "not_the_same_tasks"
    if len(leaders) > 1 or not all(rival.told_apart for rival in rivals):
        return "not_told_apart"
    return "clear_lead"


def _are_apart(parts: TaskParts, block: PairBlock) -> bool:
    """Whether entries cannot be compared because they ran different tasks, not too few tasks."""
    leader = block.rows[0]
    most_tasks = np.delete(parts.tasks, leader).max()
    shares_none = np.delete(block.shared[0], leader).max() == 0
    return bool(shares_none or min(parts.tasks[leader], most_tasks) >= MIN_SHARED)


def _smallest(
    pairs: Pairs, block: PairBlock, leaders: tuple[int, ...], rivals: list[Rival]
) -> SmallestDifference | None:
    """The smallest difference, at most the smallest certain lead on this board."""
    near = [*leaders[1:], *(rival.entry for rival in rivals)]
    near = [row for row in near if not np.isnan(block.p[0, row])]
    spreads = [
        Spread(
            int(block.shared[0, row]),
            float(block.leads[0, row]),
            float(block.errors[0, row]),
            bool(pairs.are_shares[[leaders[0], row]].all()),
            float(block.freedom[0, row]),
        )
        for row in near[:_LOOKED_AT]
    ]
    certain = [rival.lead for rival in rivals if rival.told_apart and rival.lead is not None]
    return smallest_difference(spreads, len(near), at_most=min(certain, default=np.inf))
