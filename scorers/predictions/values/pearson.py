"""Pearson's correlation."""

from typing import Any, ClassVar

from scorers.predictions.values._correlations import correlation
from scorers.protocol import Parameters, PredictionTruth


class Pearson:
    """Pearson's correlation of predictions and truth, from -1 to 1: how near to a line."""

    id: ClassVar[str] = "pearson"
    kind: ClassVar[str] = "values"
    bounds: ClassVar[tuple[float | None, float | None]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("scipy",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from scipy.stats import pearsonr

        return correlation(pearsonr, truth.values, predictions)
