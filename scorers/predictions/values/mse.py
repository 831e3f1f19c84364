"""Mean squared error."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class MeanSquaredError(MeanOfRows):
    """Mean squared error: the mean of (prediction - truth)², from 0 up."""

    id: ClassVar[str] = "mse"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        return np.square(predictions - truth.values)
