"""Spearman's correlation."""

from typing import Any, ClassVar

from scorers.predictions.values._correlations import correlation
from scorers.protocol import Parameters, PredictionTruth


class Spearman:
    """Spearman's rank correlation, from -1 to 1: Pearson's of the ranks, ties with mean ranks."""

    id: ClassVar[str] = "spearman"
    kind: ClassVar[str] = "values"
    bounds: ClassVar[tuple[float | None, float | None]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("scipy",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from scipy.stats import spearmanr

        return correlation(spearmanr, truth.values, predictions)
