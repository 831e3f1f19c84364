"""Average precision."""

from typing import Any, ClassVar

from scorers.predictions.scores._curves import one_vs_rest
from scorers.protocol import Parameters, PredictionTruth


class AveragePrecision:
    """Average precision, from 0 to 1: the area under the curve of precision over recall.

    Σ (Rₙ - Rₙ₋₁) · Pₙ over the thresholds; with a score for each label the mean over the labels of
    each against all others. It is not defined if a label is in no row.
    """

    id: ClassVar[str] = "average_precision"
    kind: ClassVar[str] = "scores"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import average_precision_score

        return one_vs_rest(average_precision_score, truth, predictions)
