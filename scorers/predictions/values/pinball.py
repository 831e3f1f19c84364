"""Pinball (quantile) loss."""

from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class Quantile(BaseModel):
    """The quantile that is predicted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    quantile: float = Field(default=0.5, gt=0, lt=1, description="The quantile, 0.5 for the median")


class PinballLoss(MeanOfRows):
    """Pinball loss of a quantile: mean of q · (t - p) where p ≤ t, else of (1 - q) · (p - t).

    From 0 up; `quantile` q is between 0 and 1, 0.5 for the median.
    """

    id: ClassVar[str] = "pinball"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)
    Config = Quantile

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        quantile = parameters["quantile"]
        missing = truth.values - predictions
        return np.maximum(quantile * missing, (quantile - 1) * missing)
