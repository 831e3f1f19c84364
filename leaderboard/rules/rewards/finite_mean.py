"""The mean of numbers whose sum may be too large for a float."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from statistics import fmean


def finite_mean(numbers: Sequence[float]) -> float:
    """The mean of finite numbers, at least one. It is finite even where their sum is not."""
    try:
        return fmean(numbers)
    except OverflowError:
        return fsum(number / len(numbers) for number in numbers)
