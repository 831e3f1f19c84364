"""Ranks in bootstrap samples of the tasks (paired bootstrap).

With other tasks of the same kind, the order of the board might differ. Each draw takes as many
tasks as the board has, with replacement, and the same ones for all entries; tasks that an entry
lacks are left out for it. Each draw ranks the entries by their values over its tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from leaderboard.rules.statistics.parts import Floats, TaskParts, comparable, divided

DRAWS: Final = 2000
_AT_ONCE: Final = 1 << 18
"""Numbers per matrix in one step: bounds the memory and fits the processor's cache."""
_OUTSIDE: Final = 2.5

Ranks = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class RedrawnRanks:
    """best, worst: by entry, the ranks that 2.5 % of the draws go below, and above. Entries that
    tie share the better rank for `best` and the worse one for `worst`.
    first: by entry, the share of the draws in which it is first, alone or with others.
    """

    best: Ranks
    worst: Ranks
    first: Floats


def redrawn_ranks(parts: TaskParts, seed: int, draws: int = DRAWS) -> RedrawnRanks:
    """Draws bootstrap samples of the tasks, or of their clusters.

    seed: 0 or more, such as the version of the board. The draws depend on the seed, the number of
    tasks and the release of numpy alone.
    """
    upwards = parts.upwards().by_cluster()
    best = np.empty((draws, parts.entries), np.int32)
    worst = np.empty_like(best)
    done = 0
    for values in _drawn_values(upwards, seed, draws):
        here = slice(done, done := done + len(values))
        best[here], worst[here] = ranked(values)
    low = np.percentile(best, _OUTSIDE, axis=0, method="lower")
    high = np.percentile(worst, 100 - _OUTSIDE, axis=0, method="higher")
    return RedrawnRanks(low.astype(np.int32), high.astype(np.int32), np.mean(best == 1, axis=0))


def ranked(values: Floats) -> tuple[Ranks, Ranks]:
    """The best and the worst rank of each value within its row, the largest value first.

    values: rows × entries, rounded. Equal values share ranks: the best is 1 + the number of
    larger ones, the worst the number of larger and equal ones.
    """
    order = np.argsort(-values, axis=1)
    ordered = np.take_along_axis(values, order, 1)
    places = np.broadcast_to(np.arange(values.shape[1], dtype=np.int32), values.shape)
    differs = ordered[:, 1:] != ordered[:, :-1]
    if differs.all():
        alone = _put_back(places, order)
        return alone, alone
    edge = np.ones((len(values), 1), bool)
    starts = np.where(np.hstack((edge, differs)), places, np.int32(0))
    ends = np.where(np.hstack((differs, edge)), places, np.int32(values.shape[1]))
    firsts = np.maximum.accumulate(starts, axis=1)
    lasts = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return _put_back(firsts, order), _put_back(lasts, order)


def _put_back(places: Ranks, order: NDArray[np.int64]) -> Ranks:
    """The ranks of entries in their own order. places: from 0, in the order of the values."""
    ranks = np.empty(places.shape, np.int32)
    np.put_along_axis(ranks, order, places + 1, 1)
    return ranks


def _drawn_values(parts: TaskParts, seed: int, draws: int) -> Iterator[Floats]:
    """The values of all entries in bootstrap samples: draws × entries, some draws at a time."""
    dice = np.random.default_rng(seed)
    entries, tasks = parts.above.shape
    above, below = parts.above.T, parts.below.T
    same = bool((parts.below == parts.below[:1]).all())
    step = max(1, _AT_ONCE // max(entries, tasks, 1))
    for first in range(0, draws, step):
        size = min(step, draws - first)
        counts = _drawn_counts(dice, size, tasks)
        totals = counts @ (below[:, :1] if same else below)
        sums = counts @ above
        yield comparable(divided(sums, np.broadcast_to(totals, sums.shape)))


def _drawn_counts(dice: np.random.Generator, draws: int, tasks: int) -> Floats:
    """How often each draw has each task: draws × tasks."""
    drawn = dice.integers(tasks, size=(draws, tasks), dtype=np.int32)
    drawn += np.arange(draws, dtype=np.int32)[:, np.newaxis] * tasks
    counts = np.bincount(drawn.ravel(), minlength=draws * tasks)
    return counts.reshape(draws, tasks).astype(float)
