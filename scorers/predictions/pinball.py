"""Pinball (quantile) loss."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class PinballLoss(MeanOfRows):
    """Pinball loss of a quantile: mean of q · (t - p) where p ≤ t, else of (1 - q) · (p - t).

    From 0 up; `quantile` q is between 0 and 1, 0.5 for the median.
    """

    id: ClassVar[str] = "pinball"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        quantile = parameters["quantile"]
        missing = truth.values - predictions
        return np.maximum(quantile * missing, (quantile - 1) * missing)
