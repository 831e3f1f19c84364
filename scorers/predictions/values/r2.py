"""Coefficient of determination."""

from typing import Any, ClassVar

import numpy as np

from scorers.protocol import Parameters, PredictionTruth, Unmeasurable


class R2:
    """Coefficient of determination R²: 1 is perfect, 0 as good as the mean of the truth.

    R² = 1 - Σ (truth - prediction)² / Σ (truth - mean)². It is not defined for a constant truth.
    """

    id: ClassVar[str] = "r2"
    kind: ClassVar[str] = "values"
    bounds: ClassVar[tuple[float | None, float | None]] = (None, 1.0)

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        spread = np.square(truth.values - truth.values.mean()).sum()
        if not spread:
            raise Unmeasurable("The truth is the same in all rows.")
        return float(1 - np.square(truth.values - predictions).sum() / spread)
