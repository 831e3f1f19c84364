"""Cohen's kappa."""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from scorers.protocol import Parameters, PredictionTruth, Unmeasurable

MAX_GRADES = 1_000


class KappaWeights(BaseModel):
    """How errors are weighted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    weights: Literal["none", "linear", "quadratic"] = Field(
        default="none",
        description="none: all errors count the same; linear, quadratic: by their distance",
    )


class CohenKappa:
    """Cohen's kappa: agreement beyond chance, from -1 to 1.

    With `weights` linear or quadratic, labels must be whole numbers, and errors count by their
    distance: 1 and 5 are four apart, also if no row is 2, 3 or 4.
    """

    id: ClassVar[str] = "cohen_kappa"
    kind: ClassVar[str] = "labels"
    bounds: ClassVar[tuple[float | None, float | None]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("sklearn",)
    install: ClassVar[str] = "python -m pip install 'podium[predictions]'"
    Config = KappaWeights

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        from sklearn.metrics import cohen_kappa_score

        weights = parameters["weights"]
        true, predicted, labels = truth.values, predictions, None
        if weights != "none":
            grades = np.array([grade_of(label) for label in truth.labels])
            true, predicted = grades[true], grades[predicted]
            labels = range(int(grades.min()), int(grades.max()) + 1)
            if len(labels) > MAX_GRADES:
                raise Unmeasurable(f"The labels must span at most {MAX_GRADES} whole numbers.")
        if np.ptp(true) == 0 and np.ptp(predicted) == 0:
            raise Unmeasurable("Truth and predictions have one label only.")
        weighted = None if weights == "none" else weights
        return float(cohen_kappa_score(true, predicted, labels=labels, weights=weighted))


def grade_of(label: str) -> int:
    """A label as a whole number. Raises Unmeasurable."""
    try:
        return int(label)
    except ValueError:
        raise Unmeasurable("Weights need labels that are whole numbers.") from None
