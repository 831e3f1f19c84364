"""Brier score."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._classes import is_positive, one_hot
from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class Brier(MeanOfRows):
    """Brier score: the mean squared error of probabilities.

    With a positive label from 0 to 1: (probability - 1 or 0)². With a probability for each label
    from 0 to 2: the sum over the labels.
    """

    id: ClassVar[str] = "brier"
    kind: ClassVar[str] = "probabilities"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, 2.0)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        if truth.positive is not None:
            return np.square(predictions - is_positive(truth))
        return np.square(predictions - one_hot(truth)).sum(axis=1)
