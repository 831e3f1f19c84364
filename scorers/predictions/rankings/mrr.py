"""Mean reciprocal rank."""

from collections.abc import Sequence
from typing import ClassVar

from scorers.predictions.rankings._rankings import OfRankings


class MeanReciprocalRank(OfRankings):
    """Mean reciprocal rank: 1 / the rank of the first relevant item, 0 without one.

    From 0 to 1, the mean over rows; only the first `k` items count.
    """

    id: ClassVar[str] = "mrr"
    defaults: ClassVar[dict[str, int]] = {"k": 100_000}

    def of_row(self, hits: Sequence[int], relevant: int, k: int) -> float:
        return 1 / hits[0] if hits else 0.0
