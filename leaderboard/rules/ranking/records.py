"""Records: the values that were better than all earlier ones, and which of them certainly are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.statistics.comparisons import compare
from leaderboard.rules.statistics.parts import TaskParts
from leaderboard.rules.statistics.probabilities import LEVEL
from leaderboard.rules.statistics.verdicts import SAME_TASKS


class RecordTest(NamedTuple):
    """The comparison of a best value so far with the one before it, which held the record.

    p: of the paired test, None if they cannot be compared. is_certain: whether it is certainly
    better, on at least 80 % of the tasks of either.
    """

    p: float | None
    is_certain: bool


class StoredRecord(TypedDict):
    """A best value so far as it is stored. attempt, holder: hexadecimal; the holder is the attempt
    with the best value before it."""

    attempt: str
    holder: str
    p: float | None
    is_certain: bool


def records(values: Sequence[float], key: RankKey) -> list[int]:
    """The positions of the values that are better than all before them, the first one included.

    values: in the order of time. key: their better end, and the decimals that are compared.
    """
    positions: list[int] = []
    best = 0.0
    for position, value in enumerate(values):
        upwards = round(value if key.direction == "desc" else -value, key.decimals)
        if not positions or upwards > best:
            positions.append(position)
            best = upwards
    return positions


def record_test(parts: TaskParts, new: int, holder: int) -> RecordTest:
    """Whether an attempt is certainly better than the one that held the record. new, holder: rows.

    Ten equal systems in turn are a best value so far two times on average; with this test, one of
    50 is wrongly called a record on fewer than 5 of 100 boards.
    """
    comparison = compare(parts, new, holder)
    if comparison.p is None or comparison.difference is None:
        return RecordTest(None, is_certain=False)
    shared = comparison.shared >= SAME_TASKS * max(parts.tasks[[new, holder]])
    sign = -1.0 if parts.direction == "asc" else 1.0
    is_better = sign * comparison.difference > 0.0
    return RecordTest(comparison.p, bool(shared and is_better and comparison.p < LEVEL))
