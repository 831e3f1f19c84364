"""Matthews correlation coefficient."""

from typing import Any, ClassVar

import numpy as np

from scorers.protocol import Parameters, PredictionTruth, Unmeasurable


class MatthewsCorrelation:
    """Matthews correlation coefficient of labels, from -1 to 1; 0 is as good as chance.

    It is not defined if the truth has one label only; with one predicted label it is 0.
    """

    id: ClassVar[str] = "mcc"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float | None, float | None]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import matthews_corrcoef

        if np.ptp(truth.values) == 0:
            raise Unmeasurable("The truth has the same label in all rows.")
        return float(matthews_corrcoef(truth.values, predictions))
