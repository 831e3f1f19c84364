"""Many paired comparisons at once: some entries of a board against all of them.

A pair is compared over the tasks that both have. Let m and m' be the two values over these T
tasks. A task moves the difference m − m' by

    u = (a − m·b) / Σ b − (a' − m'·b') / Σ b',

and the standard error is √( T/(T−1) · Σ u² ), as for single values in `rules.rewards.intervals`.
For a mean over tasks (b = 1) it is the standard deviation of the differences divided by √T. The p
value is that of Student's t with T − 1 degrees of freedom.

If all task values of both entries are 0 or 1, the p value is that of McNemar's exact test. If all
tasks differ by the same amount, the variance cannot be estimated, and the p value is that of the
sign test: 2 · 0.5ᵀ, or 1 if the amount is 0.

Where several tasks are repeats of one source, clusters of them take the place of tasks, as
`statistics.clustered_pairs` says, and the p value is always that of Student's t.

The sums come from matrix products, so that 500 × 500 comparisons take less than 0.1 seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from leaderboard.rules.rewards.clusters import MIN_EFFECTIVE
from leaderboard.rules.sortkey import PRECISION
from leaderboard.rules.statistics.clustered_pairs import ClusteredBoard, ClusteredRow
from leaderboard.rules.statistics.parts import Counts, Flags, Floats, TaskParts
from leaderboard.rules.statistics.probabilities import LEVEL, holm, mcnemar_p, student_p

MIN_SHARED: Final = 8
"""Tasks, or clusters of them, that two entries must share to be compared. With 5 tasks of 0/1
rewards no p value can be below 0.0625, and if most rewards are 1, the differences of a third of the
pairs have no variance."""

_ALIKE: Final = 1e-12
"""A variance below this share of the sum of squares is a rounding error."""
_AT_ONCE: Final = 1 << 17
"""Pairs that are compared in one step, to bound the memory."""


@dataclass(frozen=True, slots=True, eq=False)
class PairBlock:
    """Some entries (rows) against all entries of the board (columns).

    rows: which entries the rows are. All other fields are matrices, rows × entries.
    shared: tasks that both have. leads: by how much the row is better, over the shared tasks;
    positive whichever direction is better; NaN without shared tasks. errors: the standard errors of
    the leads; NaN below two shared tasks. p: NaN where the two cannot be compared, since they share
    fewer than 8 tasks or are the same entry. corrected: p after Holm's correction within the row.
    units: the shared tasks or clusters of them that are independent. freedom: degrees of freedom.
    """

    rows: Counts
    shared: Floats
    leads: Floats
    errors: Floats
    p: Floats
    corrected: Floats
    units: Floats
    freedom: Floats

    @property
    def better(self) -> Flags:
        """Where the row is certainly better than the column."""
        return self._certain & (self.leads > 0.0)

    @property
    def worse(self) -> Flags:
        """Where the row is certainly worse than the column."""
        return self._certain & (self.leads < 0.0)

    @property
    def _certain(self) -> Flags:
        return is_certain(self.corrected)


class Pairs:
    """A board whose entries are compared in pairs."""

    def __init__(self, parts: TaskParts) -> None:
        self.entries = parts.entries
        has = parts.has
        one = float(parts.below.max(initial=0.0))
        self.is_mean = one > 0.0 and bool((parts.below[has] == one).all())
        """Whether all tasks count the same, as in a mean over as many samples of each."""
        above, below = parts.above, parts.below
        if self.is_mean:
            above, below = above / one, has.astype(float)
        self._values = above
        self._has = has.astype(float)
        self._complete = bool(has.all())
        self._sign = -1.0 if parts.direction == "asc" else 1.0
        # Values near 0 have precise squares. The value of a missing task stays 0.
        middle = float(above.sum()) / float(below.sum() or 1.0)
        self._above = above - middle * below
        self._below = below
        self._clustered: ClusteredBoard | None = None
        if parts.clusters is not None:
            self._clustered = ClusteredBoard(TaskParts(self._above, below, clusters=parts.clusters))

    @cached_property
    def are_shares(self) -> Flags:
        """The entries whose task values are all 0 or 1, and independent."""
        if self._clustered:
            return np.zeros(self.entries, dtype=bool)
        are_either = (self._values == 0.0) | (self._values == 1.0)
        return np.asarray(are_either.all(axis=1) & self.is_mean)

    def blocks(self, rows: Sequence[int] | Counts | None = None) -> Iterator[PairBlock]:
        """Some entries (or each) against all, in blocks that bound the memory."""
        chosen = np.arange(self.entries) if rows is None else np.array(rows, dtype=int)
        step = max(1, _AT_ONCE // max(self.entries, 1))
        for first in range(0, chosen.size, step):
            yield self.block(chosen[first : first + step])

    def behind(self, rows: Sequence[int] | Counts) -> Flags:
        """By entry: whether each of the entries `rows` is certainly better than it."""
        is_behind = np.ones(self.entries, dtype=bool)
        for block in self.blocks(rows):
            is_behind &= block.better.all(axis=0)
        return is_behind

    def block(self, here: Counts) -> PairBlock:
        """Some entries against all. here: their rows."""
        shared = self._over_shared(self._has, here)[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            if self._clustered:
                rows = [self._clustered.row(row) for row in here.tolist()]
                both = ClusteredRow(*map(np.array, zip(*rows, strict=True)))
                leads, squares, scale = self._leads(both.difference), both.squares, both.scale
                units, freedom = both.units, both.effective - 1.0
            else:
                leads, squares, scale = self._differences(here, shared)
                units, freedom = shared, shared - 1.0
            alike = squares <= _ALIKE * scale
            errors = np.sqrt(np.where(alike, 0.0, squares) * units / (units - 1.0))
            p = np.where(alike, _sign_p(leads, units), self._p(leads / errors, freedom, here))
        errors[units < 2.0] = np.nan
        p[~are_comparable(units, freedom)] = np.nan
        p[np.arange(here.size), here] = np.nan
        return PairBlock(here, shared, leads, errors, p, holm(p), units, freedom)

    def _differences(self, here: Counts, shared: Floats) -> tuple[Floats, Floats, Floats]:
        """For each pair: the lead, Σ u², and the sum of squares before the subtraction."""
        a, b = self._above, self._below
        sums, other_sums = self._over_shared(a, here)
        squares, other_squares = self._over_shared(a * a, here)
        if self.is_mean:
            scale = (squares + other_squares) / shared**2
            difference = (sums - other_sums) / shared
            crossed = 2.0 * (a[here] @ a.T) / shared**2
            return self._leads(difference), scale - crossed - difference**2 / shared, scale
        totals, other_totals = self._over_shared(b, here)
        mine, theirs = sums / totals, other_sums / other_totals
        squares = squares / totals**2
        other_squares = other_squares / other_totals**2
        scale = squares + other_squares
        with_mine, with_theirs = self._over_shared(a * b, here)
        mine_b, theirs_b = self._over_shared(b * b, here)
        squares += (mine**2 * mine_b - 2.0 * mine * with_mine) / totals**2
        other_squares += (theirs**2 * theirs_b - 2.0 * theirs * with_theirs) / other_totals**2
        crossed = a[here] @ a.T - mine * (b[here] @ a.T) - theirs * (a[here] @ b.T)
        crossed += mine * theirs * (b[here] @ b.T)
        variance = squares + other_squares - 2.0 * crossed / (totals * other_totals)
        return self._leads(mine - theirs), variance, scale

    def _leads(self, differences: Floats) -> Floats:
        """Differences by which the row is better; 0 for those that ranks round away."""
        differs = np.round(differences, PRECISION) != 0.0
        return np.where(differs | np.isnan(differences), self._sign * differences, 0.0)

    def _over_shared(self, x: Floats, here: Counts) -> tuple[Floats, Floats]:
        """Sums of x over the shared tasks of each pair: of the row, and of the column."""
        if self._complete:
            totals = x.sum(axis=1)
            shape = here.size, totals.size
            mine = np.broadcast_to(totals[here][:, np.newaxis], shape)
            return mine, np.broadcast_to(totals, shape)
        return x[here] @ self._has.T, self._has[here] @ x.T

    def _p(self, t: Floats, freedom: Floats, here: Counts) -> Floats:
        """p values: McNemar's for pairs of 0/1 rewards, Student's t for the others."""
        are = self.are_shares
        if are.all():
            return self._mcnemar(here, are)
        p = student_p(t, freedom)
        p[np.ix_(are[here], are)] = self._mcnemar(here, are)
        return p

    def _mcnemar(self, here: Counts, are: Flags) -> Floats:
        solved, missed = self._values, self._has - self._values
        rows = are[here]
        only_mine = solved[here][rows] @ missed[are].T
        only_theirs = missed[here][rows] @ solved[are].T
        return mcnemar_p(np.rint(only_mine).astype(int), np.rint(only_theirs).astype(int))


def is_certain(corrected: Floats) -> Flags:
    """Whether corrected p values are below the level; NaN is not.

    Nine decimals: the last bit of a sum depends on how many rows are compared at once.
    """
    return np.asarray(np.round(corrected, PRECISION) < LEVEL)


def are_comparable(units: Floats, freedom: Floats) -> Flags:
    """Whether there is a p value. units: independent tasks or clusters that are shared.

    freedom: of `units` tasks it is one less, of clusters less than that if they are unequal.
    """
    return np.asarray((units >= MIN_SHARED) & (freedom >= MIN_EFFECTIVE - 1.0))


def _sign_p(leads: Floats, shared: Floats) -> Floats:
    """The p value of the sign test, if all tasks differ by the same amount."""
    return np.where(leads == 0.0, 1.0, 2.0 * 0.5**shared)
