"""Mean average precision at k."""

from collections.abc import Sequence
from typing import ClassVar

from scorers.predictions.rankings._rankings import FirstItems, OfRankings


class MeanAveragePrecisionAtK(OfRankings):
    """Mean average precision of the first `k` items, from 0 to 1.

    The precisions at the ranks of the relevant items, added up and divided by min(k, relevant
    items), and then the mean over rows. An item that is named twice counts once.
    """

    id: ClassVar[str] = "map_at_k"
    Config = FirstItems

    def of_row(self, hits: Sequence[int], relevant: int, k: int) -> float:
        return sum(count / rank for count, rank in enumerate(hits, start=1)) / min(relevant, k)
