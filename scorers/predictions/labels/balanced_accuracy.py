"""Balanced accuracy."""

from typing import Any, ClassVar

from scorers.protocol import Parameters, PredictionTruth


class BalancedAccuracy:
    """Mean recall of the labels, from 0 to 1: each label counts the same, however rare it is."""

    id: ClassVar[str] = "balanced_accuracy"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import balanced_accuracy_score

        return float(balanced_accuracy_score(truth.values, predictions))
