"""Dice coefficient of run-length masks."""

from typing import Any, ClassVar

from scorers.predictions.masks._masks import OfMasks


class Dice(OfMasks):
    """Dice coefficient of masks: 2 · shared pixels / pixels of both, from 0 to 1.

    The mean over rows, or with `over` pixels of the pixels of all rows. Two empty masks count 1.
    """

    id: ClassVar[str] = "dice"

    def of_counts(self, shared: Any, both: Any) -> Any:
        return 2 * shared / both
