"""The settings of a metric that the computation of its values needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from leaderboard.rules.rewards.evidence import Policy

SCRIPT: Final = "uv-script"
"""The type of a metric that is a script."""


class Reducible(Protocol):
    """One metric of a challenge: its type, its reward, and how missing numbers count.

    group: its group of tasks, all tasks if None. over: "groups" for the mean of its values over
    each group. min_coverage: the share of its tasks below which a value does not rank. compares:
    whether it compares participants, so that its value depends on the whole board.
    """

    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def reward(self) -> str | None: ...
    @property
    def failed(self) -> Policy: ...
    @property
    def undefined(self) -> Policy: ...
    @property
    def group(self) -> str | None: ...
    @property
    def over(self) -> str | None: ...
    @property
    def min_coverage(self) -> float | None: ...
    @property
    def compares(self) -> bool: ...

    def keys(self, rewards: Sequence[str]) -> list[tuple[str, str | None]]:
        """The keys of its values for these rewards, and the reward of each."""
        ...
