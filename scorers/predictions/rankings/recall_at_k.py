"""Recall at k."""

from collections.abc import Sequence
from typing import ClassVar

from scorers.predictions.rankings._rankings import FirstItems, OfRankings


class RecallAtK(OfRankings):
    """Share of the relevant items that are among the first `k`, the mean over rows, from 0 to 1."""

    id: ClassVar[str] = "recall_at_k"
    Config = FirstItems

    def of_row(self, hits: Sequence[int], relevant: int, k: int) -> float:
        return len(hits) / relevant
