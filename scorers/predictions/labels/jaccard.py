"""Jaccard index."""

from typing import Any, ClassVar

from scorers.predictions.labels._averages import Averaged, averaged
from scorers.protocol import Parameters, PredictionTruth


class Jaccard:
    """Jaccard index: TP / (TP + FP + FN) of a label, from 0 to 1."""

    id: ClassVar[str] = "jaccard"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    Config = Averaged

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import jaccard_score

        return averaged(jaccard_score, truth, predictions, parameters, rows="either")
