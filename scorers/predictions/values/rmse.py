"""Root mean squared error."""

import math
from typing import Any, ClassVar

import numpy as np

from scorers.protocol import Parameters, PredictionTruth


class RootMeanSquaredError:
    """Root mean squared error: √ of the mean of (prediction - truth)², from 0 up."""

    id: ClassVar[str] = "rmse"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)
    of_mean: ClassVar[Any] = staticmethod(math.sqrt)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        return np.square(predictions - truth.values)

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        return math.sqrt(self.parts(truth, predictions, parameters).mean())
