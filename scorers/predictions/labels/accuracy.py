"""Accuracy."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class Accuracy(MeanOfRows):
    """Share of rows whose label is right, from 0 to 1."""

    id: ClassVar[str] = "accuracy"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, 1.0)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        return np.asarray(predictions == truth.values, np.float64)
