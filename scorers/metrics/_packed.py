"""Arithmetic on packed rewards: the rewards of all tasks in one array, task after task.

`lengths` says how many samples each task has, at least one. A few calls of numpy then stand for a
loop over a hundred thousand samples.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Lengths = NDArray[np.int64]
Flags = NDArray[np.bool_]


def starts(lengths: Lengths) -> Lengths:
    """Where each task begins."""
    return np.cumsum(lengths) - lengths


def task_sums(values: Floats | Flags, lengths: Lengths) -> Floats:
    """The sum of each task; of flags: how many are set."""
    return np.add.reduceat(values, starts(lengths), dtype=np.float64)


def beyond_first(k: int, lengths: Lengths) -> Flags:
    """Marks the samples that are not among the first `k` of their task."""
    begins = np.repeat(starts(lengths), lengths)
    later: Flags = np.arange(begins.size) - begins >= k
    return later


def subset_shares(hits: Floats, lengths: Lengths, k: int) -> Floats:
    """C(hits, k) / C(lengths, k) of each task: how likely k drawn samples are all hits.

    Every task has at least `k` samples.
    """
    shares = np.ones(hits.size)
    for drawn in range(k):
        shares *= np.maximum(hits - drawn, 0.0) / (lengths - drawn)
        if not shares.any():
            break
    return shares
