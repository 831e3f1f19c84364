"""The number of tied pairwise comparisons."""

from typing import ClassVar

import numpy as np

from scorers.metrics._battles import TIE, Count
from scorers.metrics._packed import Flags, Floats


class Ties(Count):
    """Number of samples that are tied, with a reward of exactly 0.5.

    Pairwise judges give 1 for a win, 0.5 for a tie and 0 for a loss, or the probability of a win.
    """

    name: ClassVar[str] = "ties"

    def counted(self, rewards: Floats) -> Flags:
        return np.equal(rewards, TIE)
