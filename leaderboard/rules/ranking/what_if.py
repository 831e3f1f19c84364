"""The order of a board under other weights, and how far a weight may change before the first does.

A value is the sum of parts times weights: the terms of a score, or columns on a common scale. Parts
of an entry stand in one order for all entries; None is a part that the entry does not have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from math import fsum, inf, isinf
from typing import NamedTuple

from leaderboard.rules.sortkey import PRECISION, Direction

WhatIfParts = Sequence[float | None]
Weights = Sequence[float]


class Weighed(NamedTuple):
    """An entry of a board. rank: its rank there, which orders entries of equal values."""

    parts: WhatIfParts
    rank: int


class Placed(NamedTuple):
    """An entry in the new order.

    at: its position among the given entries. before: its official rank among those in the new
    order.
    """

    at: int
    value: float
    rank: int
    is_tied: bool
    before: int

    @property
    def moved(self) -> int:
        """How many places it has risen; negative if it has fallen."""
        return self.before - self.rank


class Span(NamedTuple):
    """The weights from `low` to `high`; without an upper end, `high` is infinite."""

    low: float
    high: float


def value_of(parts: WhatIfParts, weights: Weights) -> float | None:
    """The sum of parts times weights; None if a part with a weight is missing."""
    products = []
    for part, weight in zip(parts, weights, strict=True):
        if weight == 0.0:
            continue
        if part is None:
            return None
        products.append(part * weight)
    return fsum(products)


def order_under(
    entries: Sequence[Weighed], weights: Weights, *, least: float = -inf
) -> list[Placed]:
    """The entries whose value is defined, the highest value first.

    least: lower values count as this one. Equal values (to 1e-9) keep the order of the board.
    """
    values = [(at, value_of(entry.parts, weights)) for at, entry in enumerate(entries)]
    defined = [(at, max(least, value)) for at, value in values if value is not None]
    official = sorted(entries[at].rank for at, _ in defined)
    keys = {at: (-round(value, PRECISION) + 0.0, entries[at].rank) for at, value in defined}
    ordered, every = sorted(defined, key=lambda pair: keys[pair[0]]), sorted(keys.values())
    return [
        Placed(
            at=at,
            value=value,
            rank=bisect_left(every, keys[at]) + 1,
            is_tied=bisect_right(every, keys[at]) - bisect_left(every, keys[at]) > 1,
            before=bisect_left(official, entries[at].rank) + 1,
        )
        for at, value in ordered
    ]


def spans_of_lead(
    entries: Sequence[Weighed], weights: Weights, order: Sequence[Placed], *, least: float = -inf
) -> list[Span | None]:
    """For each weight, from where to where the first stays first while the others stay as they are.

    order: that of these weights. None: the first does not have this part, or there is no other
    entry, or its value is the least, so that only the order of the board puts it first. At an end
    of a span, the first shares its value with another entry.
    """
    if len(order) < 2 or order[0].value <= least:
        return [None] * len(weights)
    first, *followers = (entries[placed.at].parts for placed in order)
    return [
        None if first[which] is None else _span(which, first, followers, weights)
        for which in range(len(weights))
    ]


def scaled(values: WhatIfParts, direction: Direction) -> list[float | None]:
    """Values of a column from 0 for the worst to 1 for the best; 1 if all of them are equal."""
    numbers = [value for value in values if value is not None]
    if not numbers:
        return [None] * len(values)
    worst, best = min(numbers), max(numbers)
    if direction == "asc":
        worst, best = best, worst
    if worst == best:
        return [None if value is None else 1.0 for value in values]
    if isinf(best - worst):  # Halves have the same places, and a difference that is a float.
        return scaled([None if value is None else value / 2 for value in values], direction)
    return [None if value is None else (value - worst) / (best - worst) for value in values]


def _span(
    which: int, first: WhatIfParts, followers: Sequence[WhatIfParts], weights: Weights
) -> Span:
    low, high = 0.0, inf
    for ahead, slope in _leads(which, first, followers, weights):
        # The lead over this entry is ahead + slope × weight; it may not fall below 0.
        if slope > 0.0:
            low = max(low, -ahead / slope)
        elif slope < 0.0:
            high = min(high, -ahead / slope)
    # The first is first under the present weight, whatever rounding says.
    return Span(min(low, weights[which]), max(high, weights[which]))


def _leads(
    which: int, first: WhatIfParts, followers: Sequence[WhatIfParts], weights: Weights
) -> Iterator[tuple[float, float]]:
    """The lead over each other entry without one part, and the difference in that part."""
    rest = [0.0 if at == which else weight for at, weight in enumerate(weights)]
    mine = value_of(first, rest)
    for parts in followers:
        theirs, here, other_part = value_of(parts, rest), first[which], parts[which]
        if mine is not None and theirs is not None and here is not None and other_part is not None:
            yield mine - theirs, here - other_part
