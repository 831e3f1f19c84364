"""Log loss."""

from typing import Any, ClassVar

import numpy as np

from scorers.predictions._classes import of_truth
from scorers.predictions._means import MeanOfRows
from scorers.protocol import Parameters, PredictionTruth


class LogLoss(MeanOfRows):
    """Log loss (cross entropy): the mean of -ln of the probability of the true label, from 0 up.

    Probabilities are moved to 2.2e-16 and 1 - 2.2e-16 if they are beyond, as scikit-learn does it.
    Those of a row are used as they are, also if their sum is not 1.
    """

    id: ClassVar[str] = "log_loss"
    kind: ClassVar[str] = "probabilities"
    direction: ClassVar[str] = "asc"
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)

    def parts(self, truth: PredictionTruth, predictions: Any, parameters: Parameters) -> Any:
        smallest = np.finfo(np.float64).eps
        return -np.log(np.clip(of_truth(truth, predictions), smallest, 1 - smallest))
