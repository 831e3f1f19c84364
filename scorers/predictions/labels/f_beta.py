"""F1 and other F-scores."""

from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from scorers.predictions.labels._averages import Averaged, averaged
from scorers.protocol import Parameters, PredictionTruth


class FScoreSettings(Averaged):
    """The average, and the weight of recall."""

    beta: float = Field(default=1.0, gt=0, le=1000, description="How much more recall counts")


class FBeta:
    """F-score: (1 + β²) · P · R / (β² · P + R) of precision and recall, from 0 to 1.

    With `beta` 1 it is F1, their harmonic mean; 2 counts recall more, 0.5 precision.
    """

    id: ClassVar[str] = "f_beta"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"
    Config = FScoreSettings

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import fbeta_score

        score = partial(fbeta_score, beta=parameters["beta"])
        return averaged(score, truth, predictions, parameters, rows="either")
