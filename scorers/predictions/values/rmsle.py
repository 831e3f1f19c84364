"""Root mean squared logarithmic error."""

import math
from typing import Any, ClassVar

import numpy as np

from scorers.protocol import Parameters, PredictionTruth, Unmeasurable


class RootMeanSquaredLogError:
    """Root mean squared error of ln(1 + x), from 0 up: relative errors count.

    √ of the mean of (ln(1 + prediction) - ln(1 + truth))². Numbers must be more than -1.
    """

    id: ClassVar[str] = "rmsle"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)
    above: ClassVar[float] = -1.0
    of_mean: ClassVar[Any] = staticmethod(math.sqrt)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        if np.any(truth.values <= -1) or np.any(predictions <= -1):
            raise Unmeasurable("A number is not more than -1, so that ln(1 + x) is not defined.")
        return np.square(np.log1p(predictions) - np.log1p(truth.values))

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        return math.sqrt(self.parts(truth, predictions, parameters).mean())
