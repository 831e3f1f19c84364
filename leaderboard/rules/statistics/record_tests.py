"""Records: values that are certainly better than the best one before them.

Of 50 equal arrivals, a false record occurs on 3 to 4 % of boards; spending the level over arrivals
gained almost nothing.
"""

from __future__ import annotations

from typing import NamedTuple, TypedDict

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
