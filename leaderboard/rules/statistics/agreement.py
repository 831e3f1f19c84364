"""How far people who label the same samples agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def krippendorff_alpha(units: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha of intervals: 1 for full agreement, 0 for as much as chance gives.

    units: the labels of each sample, by as many people as there are; samples with fewer than two do
    not count. None if no sample has two labels, or if all are equal, because chance then agrees as
    well. α = 1 − D_o / D_e (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").
    """
    pairable = [unit for unit in units if len(unit) > 1]
    every = [label for unit in pairable for label in unit]
    if not every or not (expected := _disagreement(every)):
        return None
    return 1.0 - sum(map(_disagreement, pairable)) / expected


def _disagreement(labels: Sequence[float]) -> float:
    """The squared differences of a label from each other one, added up over all labels."""
    mean = sum(labels) / len(labels)
    squares = sum((label - mean) ** 2 for label in labels)
    return 2.0 * len(labels) * squares / (len(labels) - 1)
