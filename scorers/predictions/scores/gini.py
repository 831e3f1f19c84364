"""Gini coefficient."""

from typing import Any, ClassVar

from scorers.predictions.scores._curves import one_vs_rest
from scorers.protocol import Parameters, PredictionTruth


class Gini:
    """Gini coefficient of scores, from -1 to 1: 2 · (area under the ROC curve) - 1.

    With a score for each label, the mean over the labels of each against all others.
    """

    id: ClassVar[str] = "gini"
    kind: ClassVar[str] = "scores"
    bounds: ClassVar[tuple[float | None, float | None]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import roc_auc_score

        return 2 * one_vs_rest(roc_auc_score, truth, predictions) - 1
