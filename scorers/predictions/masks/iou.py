"""Intersection over union of run-length masks."""

from typing import Any, ClassVar

from scorers.predictions.masks._masks import OfMasks


class IntersectionOverUnion(OfMasks):
    """Intersection over union of masks: shared pixels / pixels of either, from 0 to 1.

    The mean over rows, or with `over` pixels of the pixels of all rows. Two empty masks count 1.
    """

    id: ClassVar[str] = "iou"

    def of_counts(self, shared: Any, both: Any) -> Any:
        return shared / (both - shared)
