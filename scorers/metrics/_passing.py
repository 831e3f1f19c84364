"""When a sample passes, and the probability that several drawn samples all pass."""

import math

PASS_THRESHOLD = 1.0
"""The lowest reward that passes: 0.9999 does not pass, 1 and 2.5 do."""


def passes(reward: float) -> bool:
    return reward >= PASS_THRESHOLD


def subset_share(hits: int, size: int, k: int) -> float:
    """C(hits, k) / C(size, k): the probability that `k` samples drawn of `size` are all hits.

    `size` must be at least `k`.
    """
    if hits < k:
        return 0.0
    return math.prod((hits - drawn) / (size - drawn) for drawn in range(k))
