"""Recall."""

from typing import Any, ClassVar

from scorers.predictions.labels._averages import Averaged, averaged
from scorers.protocol import Parameters, PredictionTruth


class Recall:
    """Recall: the share of the rows with a label that are predicted as it, from 0 to 1."""

    id: ClassVar[str] = "recall"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    Config = Averaged

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import recall_score

        return averaged(recall_score, truth, predictions, parameters, rows="true")
