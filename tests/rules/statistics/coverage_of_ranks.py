"""How often rank intervals contain the true rank, on boards with known true ranks.

`python -m tests.rules.statistics.coverage_of_ranks [BOARDS]` prints the figures of
docs/decisions/0181-a-rank-interval-is-the-union-of-two-intervals.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from leaderboard.rules.statistics.parts import Counts, TaskParts
from leaderboard.rules.statistics.rank_intervals import rank_intervals, ranks_by_tests
from leaderboard.rules.statistics.redrawn import redrawn_ranks
from tests.rules.statistics.boards import (
    Kind,
    choosy,
    continuous,
    drawn_board,
    sampled,
    skewed,
    solved,
)

KINDS = [
    Kind("12 tasks, almost equal", 20, 12, 0.002, solved),
    Kind("50 tasks, almost equal", 20, 50, 0.002, solved),
    Kind("50 tasks, almost equal, continuous", 20, 50, 0.002, continuous),
    Kind("50 tasks, close", 20, 50, 0.02, solved),
    Kind("50 tasks, spread", 20, 50, 0.3, solved),
    Kind("500 tasks, close", 20, 500, 0.02, solved),
    Kind("500 tasks, spread", 20, 500, 0.3, solved),
    Kind("50 tasks, close, a third are holes", 20, 50, 0.02, solved, holes=0.33),
    Kind("8 tasks, close, continuous", 20, 8, 0.02, continuous),
    Kind("50 tasks, close, continuous", 20, 50, 0.02, continuous),
    Kind("50 tasks, spread, continuous, holes", 20, 50, 0.1, continuous, holes=0.2),
    Kind("50 tasks, close, 4 samples each", 20, 50, 0.02, sampled),
    Kind("12 tasks, spread, 4 samples each", 20, 12, 0.3, sampled),
    Kind("12 tasks, close, skewed", 20, 12, 0.02, skewed),
    Kind("50 tasks, close, skewed", 20, 50, 0.02, skewed),
    Kind("20 tasks, hard half skipped by some", 20, 20, 0.05, choosy),
    Kind("2 entries, 50 tasks, almost equal", 2, 50, 0.002, solved),
    Kind("3 entries, 12 tasks, almost equal, continuous", 3, 12, 0.002, continuous),
    Kind("3 entries, 50 tasks, close", 3, 50, 0.1, solved),
]

Bounds = tuple[Counts, Counts]
Method = Callable[[TaskParts], Bounds]


class Coverage(NamedTuple):
    """Shares of boards: on average over the entries, for the truly best entry, and for the entry
    whose share is lowest, and for the one that the board shows first. width: of an interval, in
    ranks, on average."""

    mean: float
    best: float
    lowest: float
    shown_first: float
    width: float


def of_boards(parts: TaskParts) -> Bounds:
    """Return the intervals that boards show."""
    intervals = rank_intervals(parts, seed=1, draws=400)
    low = [interval.best or 1 for interval in intervals]
    high = [interval.worst or parts.entries for interval in intervals]
    return np.array(low), np.array(high)


def tests_alone(parts: TaskParts) -> Bounds:
    tested = ranks_by_tests(parts, parts.ranks())
    return tested.best, tested.worst


def bootstrap(parts: TaskParts) -> Bounds:
    drawn = redrawn_ranks(parts, 1, 400)
    return drawn.best.astype(int), drawn.worst.astype(int)


def coverage(kind: Kind, method: Method, boards: int, seed: int = 1) -> Coverage:
    """Draw boards of a kind, and return their coverage."""
    dice = np.random.default_rng(seed)
    held, first, widths = np.zeros(kind.entries), 0, 0.0
    for _ in range(boards):
        parts, truth = drawn_board(dice, kind)
        low, high = method(parts)
        holds = (low <= truth) & (truth <= high)
        held[truth - 1] += holds
        first += bool(holds[np.argmax(parts.values)])
        widths += float(np.mean(high - low + 1))
    shares = held / boards
    return Coverage(
        float(shares.mean()), float(shares[0]), float(shares.min()), first / boards, widths / boards
    )


def main() -> None:
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{boards} boards of each kind: mean / best entry / lowest / shown first, width")
    for kind in KINDS:
        print(f"| {kind.name} ", end="")
        for method in (bootstrap, tests_alone, of_boards):
            shares = coverage(kind, method, boards)
            print("| {:.3f} / {:.3f} / {:.3f} / {:.3f}, {:.1f} ".format(*shares), end="")
        print("|", flush=True)


if __name__ == "__main__":
    main()
