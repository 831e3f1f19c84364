"""Top-k accuracy."""

from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class FirstLabels(BaseModel):
    """How many labels count."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    k: int = Field(default=5, ge=1, le=1000, description="How many labels count")


class TopKAccuracy(MeanOfRows):
    """Share of rows whose label is among the `k` with the highest scores, from 0 to 1.

    Where labels tie for the last place, the row counts the share of them that fits.
    """

    id: ClassVar[str] = "top_k_accuracy"
    kind: ClassVar[str] = "scores"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    Config = FirstLabels

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        scores, true = predictions, truth.values
        if truth.positive is not None:
            scores = np.column_stack((1 - predictions, predictions))
            true = np.asarray(truth.values == truth.positive, np.intp)
        own = scores[np.arange(true.size), true][:, None]
        above, ties = (scores > own).sum(axis=1), (scores == own).sum(axis=1)
        return np.clip((parameters["k"] - above) / ties, 0, 1)
