"""Quantiles for intervals: Wilson's for shares, Student's t for means."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Z95: Final = 1.959963984540054
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


def wilson(passed: float, tasks: float, z: float = Z95) -> tuple[float, float]:
    """The score interval of a share of `passed` among `tasks` (Wilson 1927), 95 % by default.

    z: the standard normal quantile of another level.
    """
    share = passed / tasks
    return _wilson_low(share, tasks, z), 1.0 - _wilson_low(1.0 - share, tasks, z)


def _wilson_low(share: float, tasks: float, z: float) -> float:
    spread = z**2 / tasks
    reach = math.sqrt(share * (1 - share) * spread + spread**2 / 4)
    return max((share + spread / 2 - reach) / (1 + spread), 0.0)


@lru_cache(4096)
def student_t(freedom: float, tail: float = 0.05) -> float:
    """The value that Student's |t| exceeds with probability `outside`.

    freedom: degrees of freedom, at least 1, and at least 2 if it is not a whole number. By default
    this is the 97.5 % quantile. It is found by bisection, for whole numbers in the closed form of
    the distribution (Abramowitz and Stegun 26.7.3 and 26.7.4). Beyond 1000, two terms of their
    expansion are right to 1e-8 for that quantile.
    """
    if freedom > 1000:
        z = Z95 if tail == 0.05 else NormalDist().inv_cdf(1 - tail / 2)
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + (z**3 + z) / (4 * freedom) + second / freedom**2
    low, high = 0.0, math.pi / 2
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _exceeded(middle, freedom) > tail else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def student_tail(t: Floats, freedom: Floats) -> Floats:
    """The chance that Student's t is at least ±t. freedom: degrees of freedom, at least 2.

    It is the integral of sin^(ν−1) from 0 to arctan(√ν / |t|), divided by the one to π/2. With z²
    for the angle, Gauss and Legendre's quadrature is right to 1e-12 for fractions as well, up to
    some dozens of degrees of freedom.
    """
    end = np.sqrt(np.arctan2(np.sqrt(freedom), np.abs(t)))[..., np.newaxis]
    power = np.asarray(freedom)[..., np.newaxis] - 1.0
    z = (_NODES + 1.0) / 2.0 * end
    part = (np.sin(z * z) ** power * z * _WEIGHTS).sum(axis=-1) * end[..., 0]
    whole = [
        math.exp(math.lgamma(degrees / 2) - math.lgamma((degrees + 1) / 2))
        for degrees in np.ravel(freedom).tolist()
    ]
    return np.asarray(part / (math.sqrt(math.pi) / 2.0 * np.reshape(whole, np.shape(freedom))))


def _exceeded(angle: float, freedom: float) -> float:
    """The chance that |t| is above √freedom · tan(angle)."""
    if freedom == int(freedom):
        return 1.0 - _within(angle, int(freedom))
    t = math.sqrt(freedom) * math.tan(angle)
    return float(student_tail(np.array(t), np.array(freedom)))


def _within(angle: float, freedom: int) -> float:
    """The probability that |t| is below √freedom · tan(angle)."""
    odd = freedom % 2
    term, total, cosine = (math.cos(angle) if odd else 1.0), 0.0, math.cos(angle) ** 2
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * step / (step + 1)
    return (angle + math.sin(angle) * total) * 2 / math.pi if odd else math.sin(angle) * total
