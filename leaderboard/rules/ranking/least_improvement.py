"""Which of a participant's attempts move the board where a least improvement is required.

This is the Ladder of Blum and Hardt (2015): an attempt counts if it is better than the score shown
before by at least a step, and the score that is then shown is rounded. All others leave the board
as it is, so that many small guesses tell as little as none. Without knowledge of a good step, an
attempt has to be better by more than one standard error of the paired differences instead (their
"parameter-free" Ladder).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from leaderboard.rules.sortkey import Direction
from leaderboard.rules.visibility.withholding import rounded

TOLERANCE: Final = 1e-6
"""The share of the step that a sum of floats may lack."""


def improving(
    values: Iterable[float | None],
    direction: Direction,
    least: float,
    decimals: int,
    error: Callable[[int, int], float] | None = None,
) -> list[int]:
    """The positions of the values that count in turn; the last one counts now.

    values: of one participant, in the order of arrival; None for an attempt that cannot be ranked.
    decimals: to how many digits scores are shown. error: the standard error of the difference
    between the attempts at two positions, by more than which the first one has to be better; None
    for none.
    """
    positions: list[int] = []
    current, sign = 0.0, 1.0 if direction == "desc" else -1.0
    for at, value in enumerate(values):
        if value is None:
            continue
        gain = (value - current) * sign
        if positions and gain < least * (1 - TOLERANCE):
            continue
        if not positions or error is None or gain > error(at, positions[-1]):
            positions.append(at)
            current = rounded(value, decimals)
    return positions
