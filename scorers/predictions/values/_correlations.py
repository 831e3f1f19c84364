"""What the correlation coefficients share."""

from collections.abc import Callable
from typing import Any

import numpy as np

from scorers.protocol import Unmeasurable


def correlation(coefficient: Callable[[Any, Any], Any], truth: Any, predictions: Any) -> float:
    """The coefficient of two arrays. Raises Unmeasurable if one of them is constant."""
    for name, values in (("truth", truth), ("prediction", predictions)):
        if np.ptp(values) == 0:
            raise Unmeasurable(f"The {name} is the same in all rows.")
    return float(coefficient(truth, predictions)[0])
