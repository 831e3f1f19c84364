"""The steps in which a final board is revealed, from its last place to its first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

SINGLY: Final = 10
"""The first places, which are revealed one at a time."""
TOGETHER: Final = 20
"""How many of the other places are revealed at a time."""


def reveal_steps(ranks: Sequence[int]) -> list[range]:
    """The places of each step, the first step first. Places are counted from 0.

    ranks: those of the ranked rows, in the order of the board. Rows that share a rank are revealed
    together.
    """
    steps = []
    end = len(ranks)
    while end:
        start = end - 1 if end <= SINGLY else max(SINGLY, end - TOGETHER)
        while start and ranks[start - 1] == ranks[start]:
            start -= 1
        steps.append(range(start, end))
        end = start
    return steps
