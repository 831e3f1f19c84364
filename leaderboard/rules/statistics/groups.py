"""Statistical groups: entries that cannot be told apart from the first one of their group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.rules.statistics.pairwise import Pairs
from leaderboard.rules.statistics.parts import TaskParts


@dataclass(frozen=True, slots=True)
class StatisticalGroup:
    """first: the entries of the best rank in the group, by row. members: all entries of the group,
    by rank; each of the others cannot be told apart from at least one of `first`."""

    first: tuple[int, ...]
    members: tuple[int, ...]


def statistical_groups(parts: TaskParts, ranks: Sequence[int]) -> tuple[StatisticalGroup, ...]:
    """The groups of a board, from the top. Each entry belongs to exactly one.

    parts, ranks: of all ranked entries. The first group contains the leader and the entries that
    the verdict cannot tell apart from it. The best of the remaining entries starts the next group,
    and so on; its comparisons with all entries of the board are corrected together (Holm). Two
    members of a group, neither of them first, may be certainly different: "cannot be told apart" is
    not transitive.
    """
    pairs = Pairs(parts)
    left = np.array(sorted(range(len(ranks)), key=ranks.__getitem__), dtype=int)
    board_ranks = np.asarray(ranks)
    groups = []
    while left.size:
        first = left[board_ranks[left] == board_ranks[left[0]]]
        behind = pairs.behind(first)[left]
        groups.append(StatisticalGroup(tuple(first.tolist()), tuple(left[~behind].tolist())))
        left = left[behind]
    return tuple(groups)
