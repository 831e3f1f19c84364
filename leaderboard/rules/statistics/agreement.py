"""How far people who label the same samples agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

Distance = Literal["nominal", "interval"]


def krippendorff_alpha(
    units: Iterable[Sequence[float]], distance: Distance = "interval"
) -> float | None:
    """Krippendorff's alpha: 1 for full agreement, 0 for as much as chance gives.

    units: the labels of each sample, by as many people as there are; samples with fewer than two do
    not count. distance: `nominal` if labels only differ or not, `interval` if their differences
    have sizes; for two values both are the same. None if no sample has two labels, or if all are
    equal, because chance then agrees as well. α = 1 − D_o / D_e (Krippendorff 2011, "Computing
    Krippendorff's Alpha-Reliability").
    """
    apart = _APART[distance]
    pairable = [unit for unit in units if len(unit) > 1]
    every = [label for unit in pairable for label in unit]
    if not every or not (expected := apart(every) / (len(every) - 1)):
        return None
    return 1.0 - sum(apart(unit) / (len(unit) - 1) for unit in pairable) / expected


def _differing(labels: Sequence[float]) -> float:
    """How many ordered pairs of labels differ."""
    return float(len(labels) ** 2 - sum(count**2 for count in Counter(labels).values()))


def _squared(labels: Sequence[float]) -> float:
    """The sum of the squared differences of all ordered pairs of labels."""
    mean = sum(labels) / len(labels)
    return 2.0 * len(labels) * sum((label - mean) ** 2 for label in labels)


_APART: Final[Mapping[Distance, Callable[[Sequence[float]], float]]] = {
    "nominal": _differing,
    "interval": _squared,
}
