"""Kendall's correlation."""

from typing import Any, ClassVar

from scorers.predictions.values._correlations import correlation
from scorers.protocol import Parameters, PredictionTruth


class Kendall:
    """Kendall's rank correlation τ-b, from -1 to 1: how many pairs are in the right order.

    The pairs in the right order less those in the wrong one, divided by all, corrected for ties.
    """

    id: ClassVar[str] = "kendall"
    kind: ClassVar[str] = "values"
    bounds: ClassVar[tuple[float | None, float | None]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("scipy",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from scipy.stats import kendalltau

        return correlation(kendalltau, truth.values, predictions)
