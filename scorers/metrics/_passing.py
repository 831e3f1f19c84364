"""When a sample passes, and how likely some that are drawn all do."""

import math

PASS_THRESHOLD = 1.0
"""The reward that passes, itself included: 0.9999 does not pass, 2.5 does."""


def passes(reward: float) -> bool:
    return reward >= PASS_THRESHOLD


def subset_share(hits: int, size: int, k: int) -> float:
    """C(hits, k) / C(size, k): how likely `k` of `size` samples are all among the `hits`.

    `size` is at least `k`.
    """
    if hits < k:
        return 0.0
    return math.prod((hits - drawn) / (size - drawn) for drawn in range(k))
