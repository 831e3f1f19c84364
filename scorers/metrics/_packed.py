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
    sums: Floats = np.add.reduceat(values, starts(lengths), dtype=np.float64)
    return sums


def of_first(k: int, joined: np.ufunc, flags: Flags, lengths: Lengths) -> Floats:
    """Joins (by `logical_or`, `logical_and`) the flags of the first `k` samples of each task."""
    begins = starts(lengths)
    spans = np.column_stack((begins, begins + np.minimum(lengths, k))).ravel()
    # Each span is followed by what lies between it and the next one; the last ends at the end.
    within = joined.reduceat(np.append(flags, False), spans)[::2]
    return np.asarray(within, dtype=np.float64)


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
