"""Symmetric mean absolute percentage error."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class SymmetricMeanAbsolutePercentageError(MeanOfRows):
    """Symmetric mean absolute percentage error, as a share from 0 to 2.

    The mean of 2 · |prediction - truth| / (|prediction| + |truth|); a row with 0 and 0 counts 0.
    """

    id: ClassVar[str] = "smape"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, 2.0)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        error = np.abs(predictions - truth.values)
        size = (np.abs(predictions) + np.abs(truth.values)) / 2
        return np.divide(error, size, out=np.zeros_like(error), where=size > 0)
