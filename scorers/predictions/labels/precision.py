"""Precision."""

from typing import Any, ClassVar

from scorers.predictions.labels._averages import Averaged, averaged
from scorers.protocol import Parameters, PredictionTruth


class Precision:
    """Precision: the share of the rows predicted as a label that have it, from 0 to 1."""

    id: ClassVar[str] = "precision"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    Config = Averaged

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import precision_score

        return averaged(precision_score, truth, predictions, parameters, rows="predicted")
