"""Masks as runs of pixels: how many pixels they have, and share."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from scorers.protocol import Parameters, PredictionTruth

PixelRun = tuple[int, int]


class Pixels(BaseModel):
    """What the mean is over."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    over: Literal["rows", "pixels"] = Field(
        default="rows", description="rows: the mean over rows; pixels: of the pixels of all rows"
    )


class OfMasks:
    """A metric of two masks, the mean over rows or over all pixels. Two empty masks count 1."""

    kind: ClassVar[str] = "masks"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    Config = Pixels

    @abstractmethod
    def of_counts(self, shared: Any, both: Any) -> Any:
        """The number of masks. shared: pixels in both of them; both: the sum of their pixels."""

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        if parameters["over"] == "pixels":
            return None
        return self._of_rows(*counts(truth.values, predictions))

    def evaluate(
        self, truth: PredictionTruth, predictions: Any, parameters: Parameters
    ) -> float | None:
        shared, both = counts(truth.values, predictions)
        if parameters["over"] == "pixels":
            shared, both = shared.sum(keepdims=True), both.sum(keepdims=True)
        return float(self._of_rows(shared, both).mean())

    def _of_rows(self, shared: Any, both: Any) -> Any:
        return np.where(both == 0, 1.0, self.of_counts(shared, np.maximum(both, 1)))


def counts(
    truths: Sequence[Sequence[PixelRun]], predictions: Sequence[Sequence[PixelRun]]
) -> tuple[Any, Any]:
    """For each row, the pixels that two masks share, and the sum of their pixels."""
    pairs = list(zip(truths, predictions, strict=True))
    shared = np.array([overlap(mask, other) for mask, other in pairs], np.float64)
    both = np.array([size(mask) + size(other) for mask, other in pairs], np.float64)
    return shared, both


def size(mask: Sequence[PixelRun]) -> int:
    return sum(length for _, length in mask)


def overlap(mask: Sequence[PixelRun], other: Sequence[PixelRun]) -> int:
    """How many pixels two masks share. Their runs ascend and do not overlap."""
    shared = one = two = 0
    while one < len(mask) and two < len(other):
        first, length = mask[one]
        start, count = other[two]
        shared += max(0, min(first + length, start + count) - max(first, start))
        if first + length < start + count:
            one += 1
        else:
            two += 1
    return shared
