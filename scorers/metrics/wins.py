"""The number of won pairwise comparisons."""

from typing import ClassVar

from scorers.metrics._battles import TIE, Count
from scorers.metrics._packed import Flags, Floats


class Wins(Count):
    """Number of samples that are won, with a reward above 0.5.

    Pairwise judges give 1 for a win, 0.5 for a tie and 0 for a loss, or the probability of a win.
    """

    name: ClassVar[str] = "wins"

    def counted(self, rewards: Floats) -> Flags:
        return rewards > TIE
