"""Areas under curves, for one label or the mean of several."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from scorers.predictions._classes import check_both, is_positive
from scorers.protocol import PredictionTruth


def one_vs_rest(
    score: Callable[[Any, Any], Any],
    truth: PredictionTruth,
    predictions: Any,
    *,
    weighted: bool = False,
) -> float:
    """A score of the positive label, or the mean over the labels of each against all others.

    score: of an array of true and false, and scores. weighted: by the rows that have the label.
    Raises Unmeasurable if a label is missing.
    """
    check_both(truth)
    if truth.positive is not None:
        return float(score(is_positive(truth), predictions))
    labels = range(len(truth.labels))
    scores = [score(truth.values == label, predictions[:, label]) for label in labels]
    rows = [np.count_nonzero(truth.values == label) for label in labels]
    return float(np.average(scores, weights=rows if weighted else None))


def one_vs_one(
    score: Callable[[Any, Any], Any],
    truth: PredictionTruth,
    predictions: Any,
    *,
    weighted: bool = False,
) -> float:
    """The mean over pairs of labels, each against the other (Hand and Till 2001).

    weighted: by the rows that have one of the two. Raises Unmeasurable if a label is missing.
    """
    check_both(truth)
    if truth.positive is not None:
        return float(score(is_positive(truth), predictions))
    scores, rows = [], []
    for pair in combinations(range(len(truth.labels)), 2):
        kept = np.isin(truth.values, pair)
        of_pair = [score(truth.values[kept] == label, predictions[kept, label]) for label in pair]
        scores.append(np.mean(of_pair))
        rows.append(np.count_nonzero(kept))
    return float(np.average(scores, weights=rows if weighted else None))
