"""p values: of Student's t, of the exact test by McNemar, and Holm's correction of many of them."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from leaderboard.rules.rewards.distributions import student_tail
from leaderboard.rules.statistics.parts import Counts, Floats

LEVEL: Final = 0.05
"""A difference is certain if its p value, corrected for all comparisons, is below this level."""

_FEW: Final = 7.0
_CERTAIN: Final = 8.2
"""Standard deviations beyond which a p value is below 2.5e-16, which is 0 here."""


def student_p(t: Floats, freedom: Floats) -> Floats:
    """The chance that Student's t with `freedom` degrees of freedom is at least ±t.

    Hill's normal approximation (1970, Algorithm 395). Its error is below 2e-8 from 7 degrees of
    freedom on, and below 1e-10 from 20 on. Below 7, the integral itself. t may be infinite.
    """
    few = (freedom >= 2.0) & (freedom < _FEW)
    if few.any():
        p = np.array(student_p(t, np.where(few, _FEW, freedom)))
        p[few] = student_tail(np.abs(t[few]), freedom[few])
        return p
    size = np.minimum(np.abs(t), 1e100)
    a = freedom - 0.5
    b = 48.0 * a * a
    y = np.log1p(size * size / freedom) * a
    correction = (((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b)
    return normal_p(((correction + y + 3.0) / b + 1.0) * np.sqrt(y))


def normal_p(z: Floats) -> Floats:
    """The chance that a standard normal number is at least ±z (z ≥ 0)."""
    p = np.zeros(z.shape)
    uncertain = z < _CERTAIN
    p[uncertain] = [math.erfc(quantile) for quantile in (z[uncertain] / math.sqrt(2.0)).tolist()]
    return p


def mcnemar_p(first: Counts, second: Counts) -> Floats:
    """The exact two-sided p value of McNemar's test.

    first, second: on how many tasks only the first entry, and only the second, is right (≥ 0).
    If both are equally good, each of these tasks is the toss of a fair coin:

        p = min(1, 2 · Σ C(n, i) / 2ⁿ),  i = 0 … min(first, second),  n = first + second

    The relative error is below 1e-10.
    """
    n, fewer = first + second, np.minimum(first, second)
    most = int(n.max(initial=0))
    pairs, places = np.unique(n * (most + 1) + fewer, return_inverse=True)
    p = np.empty(pairs.size)
    totals = pairs // (most + 1)
    for total in np.unique(totals):
        here = totals == total
        p[here] = _tails(int(total))[pairs[here] % (most + 1)]
    return p[places].reshape(n.shape)


def _tails(total: int) -> Floats:
    """Twice the chance of at most k heads in `total` tosses, for k up to half of them."""
    k = np.arange(total // 2 + 1)
    steps = np.log(total - k[:-1]) - np.log(k[:-1] + 1.0)
    logs = np.concatenate(([0.0], np.cumsum(steps))) - total * math.log(2.0)
    return np.minimum(1.0, 2.0 * np.cumsum(np.exp(logs)))


def holm(p: Floats) -> Floats:
    """p values corrected for multiple comparisons (Holm 1979), within each row.

    p: rows × comparisons, NaN for a comparison that cannot be made, which does not count. The
    smallest of m is multiplied by m, the next by m − 1, and so on; none becomes smaller than the
    one before it, or larger than 1. This is valid for any dependence between the comparisons.
    """
    order = np.argsort(p, axis=-1)  # NaN comes last
    counted = np.count_nonzero(~np.isnan(p), axis=-1)[..., np.newaxis]
    times = np.maximum(counted - np.arange(p.shape[-1]), 1)
    corrected = np.minimum(np.take_along_axis(p, order, -1) * times, 1.0)
    # NaN stays NaN: np.maximum keeps it, and nothing comes after the first.
    corrected = np.maximum.accumulate(corrected, axis=-1)
    result = np.empty(p.shape)
    np.put_along_axis(result, order, corrected, -1)
    return result
