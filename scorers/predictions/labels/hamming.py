"""Hamming loss."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class HammingLoss(MeanOfRows):
    """Hamming loss: the share of labels that are wrong, from 0 to 1.

    With several targets, the share of all rows and targets.
    """

    id: ClassVar[str] = "hamming"
    kind: ClassVar[str] = "labels"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, 1.0)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        return np.asarray(predictions != truth.values, np.float64)
