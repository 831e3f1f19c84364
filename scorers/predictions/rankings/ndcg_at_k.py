"""Normalised discounted cumulative gain."""

import math
from collections.abc import Sequence
from typing import ClassVar

from scorers.predictions.rankings._rankings import FirstItems, OfRankings


class NdcgAtK(OfRankings):
    """Normalised discounted cumulative gain of the first `k` items, from 0 to 1.

    Σ 1 / log₂(1 + rank) of the relevant items, divided by that of the best ranking; the mean over
    rows.
    """

    id: ClassVar[str] = "ndcg_at_k"
    Config = FirstItems

    def of_row(self, hits: Sequence[int], relevant: int, k: int) -> float:
        return gain(hits) / gain(range(1, min(relevant, k) + 1))


def gain(ranks: Sequence[int]) -> float:
    """The discounted gain of items at these ranks, from 1."""
    return math.fsum(1 / math.log2(1 + rank) for rank in ranks)
