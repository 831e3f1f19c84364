"""Expected calibration error."""

from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from scorers.predictions._classes import is_positive
from scorers.protocol import Parameters, PredictionTruth


class Bins(BaseModel):
    """How many bins there are."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    bins: int = Field(default=10, ge=1, le=1000, description="How many bins of equal width")


class ExpectedCalibrationError:
    """Expected calibration error, from 0 to 1: how far probabilities are from frequencies.

    Rows are put into `bins` of equal width by their probability, and the differences between mean
    probability and frequency are averaged over the rows. With a positive label it is that of this
    label; with a probability for each label, that of the likeliest one.
    """

    id: ClassVar[str] = "ece"
    kind: ClassVar[str] = "probabilities"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float | None, float | None]] = (0.0, 1.0)
    Config = Bins

    def evaluate(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> float:
        if truth.positive is not None:
            confidence, is_right = predictions, is_positive(truth)
        else:
            confidence = predictions.max(axis=1)
            is_right = predictions.argmax(axis=1) == truth.values
        bins = parameters["bins"]
        places = np.clip(np.ceil(confidence * bins) - 1, 0, bins - 1).astype(int)
        difference = np.bincount(places, weights=confidence - is_right, minlength=bins)
        return float(np.abs(difference).sum() / confidence.size)
