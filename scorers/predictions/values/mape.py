"""Mean absolute percentage error."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth, Unmeasurable


class MeanAbsolutePercentageError(MeanOfRows):
    """Mean absolute percentage error, as a share: the mean of |prediction - truth| / |truth|.

    From 0 up; 0.1 is an error of 10 %. It is not defined for a truth of 0.
    """

    id: ClassVar[str] = "mape"
    kind: ClassVar[str] = "values"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        if not np.all(truth.values):
            raise Unmeasurable("The truth of a row is 0, by which no error can be divided.")
        return np.abs((predictions - truth.values) / truth.values)
