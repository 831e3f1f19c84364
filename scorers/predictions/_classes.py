"""Probabilities and scores of labels: of the positive one, or of each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorers.protocol import PredictionTruth, Unmeasurable

Floats = NDArray[np.float64]


def is_positive(truth: PredictionTruth) -> NDArray[np.bool_]:
    """Whether each row has the positive label."""
    return np.asarray(truth.values == truth.positive)


def one_hot(truth: PredictionTruth) -> Floats:
    """A row for each row, with 1 in the column of its label and 0 in the others."""
    hot: Floats = np.eye(len(truth.labels))[truth.values]
    return hot


def of_truth(truth: PredictionTruth, predictions: Any) -> Floats:
    """The probability that each row gives to its true label."""
    if truth.positive is None:
        return np.asarray(predictions[np.arange(len(predictions)), truth.values], np.float64)
    return np.asarray(np.where(is_positive(truth), predictions, 1 - predictions), np.float64)


def check_both(truth: PredictionTruth) -> None:
    """Raises Unmeasurable unless all labels of the whole truth are in these rows."""
    missing = set(range(len(truth.labels))) - set(np.unique(truth.values).tolist())
    if missing or len(truth.labels) < 2:
        raise Unmeasurable("Not all labels are in these rows of the truth.")
