"""Rankings: which of the ranked items are relevant."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth, Unmeasurable


class FirstItems(BaseModel):
    """How many items of a ranking count."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    k: int = Field(default=10, ge=1, le=100_000, description="How many items count")


class OfRankings(MeanOfRows):
    """A metric that is the mean over rows of a number of each ranking."""

    kind: ClassVar[str] = "rankings"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @abstractmethod
    def of_row(self, hits: Sequence[int], relevant: int, k: int) -> float:
        """The number of one row. hits: the ranks, from 1, of the relevant items among the first k.

        relevant: how many relevant items the truth has, at least 1.
        """

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        rows = zip(truth.values, predictions, strict=True)
        k = parameters["k"]
        return np.array([self._of_row(set(items), ranking, k) for items, ranking in rows])

    def _of_row(self, relevant: set[str], ranking: Sequence[str], k: int) -> float:
        if not relevant:
            raise Unmeasurable("The truth of a row names no item.")
        return self.of_row(list(hits(relevant, ranking[:k])), len(relevant), k)


def hits(relevant: set[str], ranking: Sequence[str]) -> Iterator[int]:
    """The ranks, from 1, of relevant items; an item counts where it stands first."""
    left = set(relevant)
    for rank, item in enumerate(ranking, start=1):
        if item in left:
            left.remove(item)
            yield rank
