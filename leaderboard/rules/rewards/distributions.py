"""Quantiles for intervals: Wilson's for shares, Student's t for means."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Final

Z95: Final = 1.959963984540054


def wilson(passed: float, tasks: float) -> tuple[float, float]:
    """The 95 % score interval of a share of `passed` among `tasks` (Wilson 1927)."""
    return _wilson_low(passed / tasks, tasks), 1.0 - _wilson_low(1.0 - passed / tasks, tasks)


def _wilson_low(share: float, tasks: float) -> float:
    spread = Z95**2 / tasks
    reach = math.sqrt(share * (1 - share) * spread + spread**2 / 4)
    return max((share + spread / 2 - reach) / (1 + spread), 0.0)


@cache
def student_t(freedom: int, outside: float = 0.05) -> float:
    """The value that Student's |t| exceeds with probability `outside`.

    freedom: degrees of freedom, at least 1. By default this is the 97.5 % quantile. It is found by
    bisection in the closed form of the distribution for whole numbers (Abramowitz and Stegun 26.7.3
    and 26.7.4). Beyond 1000, two terms of their expansion are right to 1e-8 for that quantile.
    """
    if freedom > 1000:
        z = Z95 if outside == 0.05 else NormalDist().inv_cdf(1 - outside / 2)
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + (z**3 + z) / (4 * freedom) + second / freedom**2
    low, high = 0.0, math.pi / 2
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _within(middle, freedom) < 1 - outside else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The probability that |t| is below √freedom · tan(angle)."""
    odd = freedom % 2
    term, total, cosine = (math.cos(angle) if odd else 1.0), 0.0, math.cos(angle) ** 2
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * step / (step + 1)
    return (angle + math.sin(angle) * total) * 2 / math.pi if odd else math.sin(angle) * total
