"""The mean of what people would say of all samples, from a judge's numbers and some labels."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from leaderboard.rules.statistics.parts import Counts, Flags, Floats


class PoweredMean(NamedTuple):
    """A mean with its standard error. tuning: how far the judge is believed, from 0 to 1.

    standard_error: None if fewer than two clusters have labels.
    """

    mean: float
    standard_error: float | None
    tuning: float


def prediction_powered_mean(
    judge: Floats,
    human: Floats,
    *,
    weights: Floats | None = None,
    clusters: Counts | None = None,
    certain: Flags | None = None,
    tuning: float | None = None,
    unseen: float = 0.0,
) -> PoweredMean:
    """Prediction-powered inference (Angelopoulos and others 2023; tuned as PPI++, 2024).

    judge: its number of each sample. human: a person's, NaN for a sample without a label; at least
    one has one, and these are drawn at random. weights: of the samples in the mean. clusters: one
    number per sample; samples of one cluster are not independent. certain: samples whose number in
    `judge` needs no label, such as the 0 of a failed one. tuning: λ; by default the one with the
    smallest variance. unseen: a difference between judge and people that is added to those that
    were observed. A judge who is seldom wrong may have been right about every label, and without
    this the error is then too small. With f for the judge and Y for people,

        θ = λ · mean f(unlabelled) + mean (Y − λf)(labelled)
        var θ = λ² var f(unlabelled) / N + var (Y − λf)(labelled) / n

    where the two parts of the variance are added up within clusters, each times G / (G − 1).
    """
    weights = np.ones(judge.size) if weights is None else weights
    clusters = np.arange(judge.size) if clusters is None else clusters
    certain = np.zeros(judge.size, dtype=bool) if certain is None else certain
    labelled, other = ~np.isnan(human) & ~certain, np.isnan(human) & ~certain
    size = _best_tuning(judge, human, labelled, other) if tuning is None else tuning
    size = size if other.any() else 0.0
    rest = np.where(labelled, human, 0.0) - size * judge
    mean = _mean(rest, weights, labelled) + size * _mean(judge, weights, other)
    values = np.where(certain, judge, mean)
    whole = _mean(values, weights, np.ones(judge.size, dtype=bool))
    share = float(weights[~certain].sum() / weights.sum())
    spread = (
        _deviations(values, weights, certain | labelled | other, clusters)
        + share * size * _deviations(judge, weights, other, clusters)
        + share * _deviations(rest, weights, labelled, clusters)
    )
    _, places = np.unique(clusters, return_inverse=True)
    sums = np.bincount(places, weights=spread)
    groups = np.unique(clusters[labelled]).size
    if groups < 2 or not other.any():
        unseen = 0.0
    variance = float(sums @ sums) + (share * unseen) ** 2 / (groups * max(groups - 1, 1))
    return PoweredMean(whole, math.sqrt(variance) if groups > 1 else None, size)


def _best_tuning(judge: Floats, human: Floats, labelled: Flags, other: Flags) -> float:
    """cov(Y, f) / ((1 + n/N) var f), within 0 and 1."""
    n, unlabelled, all_judged = int(labelled.sum()), int(other.sum()), judge[labelled | other]
    if n < 2 or not unlabelled or not (variance := float(np.var(all_judged, ddof=1))):
        return 1.0
    covariance = float(np.cov(human[labelled], judge[labelled])[0, 1])
    return min(max(covariance / ((1.0 + n / unlabelled) * variance), 0.0), 1.0)


def _mean(values: Floats, weights: Floats, chosen: Flags) -> float:
    total = float(weights[chosen].sum())
    return float(weights[chosen] @ values[chosen]) / total if total else 0.0


def _deviations(values: Floats, weights: Floats, chosen: Flags, clusters: Counts) -> Floats:
    """What each sample adds to the deviation of the weighted mean of the chosen ones."""
    groups = np.unique(clusters[chosen]).size
    if groups < 2:
        return np.zeros(values.size)
    deviations = weights * (values - _mean(values, weights, chosen)) / weights[chosen].sum()
    return np.where(chosen, math.sqrt(groups / (groups - 1)) * deviations, 0.0)
