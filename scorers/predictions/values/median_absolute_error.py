"""Median absolute error."""

from typing import Any, ClassVar

import numpy as np

from scorers.protocol import Parameters, PredictionTruth


class MedianAbsoluteError:
    """Median of |prediction - truth|, from 0 up: a few large errors do not count."""

    id: ClassVar[str] = "median_absolute_error"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, None)

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        return float(np.median(np.abs(predictions - truth.values)))
