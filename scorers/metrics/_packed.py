"""Arithmetic on packed rewards: the rewards of all tasks in one array, task after task.

`lengths` has the number of samples of each task, at least 1. A few calls of numpy then replace a
loop over a hundred thousand samples.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Lengths = NDArray[np.int64]
Flags = NDArray[np.bool_]


def starts(lengths: Lengths) -> Lengths:
    """The position at which each task begins."""
    return np.cumsum(lengths) - lengths


def task_sums(values: Floats | Flags, lengths: Lengths) -> Floats:
    """The sum of each task's values, or the number of its flags that are true."""
    sums: Floats = np.add.reduceat(values, starts(lengths), dtype=np.float64)
    return sums


def of_first(k: int, joined: np.ufunc, flags: Flags, lengths: Lengths) -> Floats:
    """The flags of the first `k` samples of each task, joined by `logical_or` or `logical_and`."""
    begins = starts(lengths)
    spans = np.column_stack((begins, begins + np.minimum(lengths, k))).ravel()
    # reduceat also joins the flags between two spans, so only every second result counts.
    within = joined.reduceat(np.append(flags, False), spans)[::2]
    return np.asarray(within, dtype=np.float64)


def subset_shares(hits: Floats, lengths: Lengths, k: int) -> Floats:
    """C(hits, k) / C(lengths, k) for each task: the probability that k drawn samples are all hits.

    Every task must have at least `k` samples.
    """
    shares = np.ones(hits.size)
    for drawn in range(k):
        shares *= np.maximum(hits - drawn, 0.0) / (lengths - drawn)
        if not shares.any():
            break
    return shares
