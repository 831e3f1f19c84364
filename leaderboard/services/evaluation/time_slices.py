"""Time slices: how long a worker evaluates one attempt before it gives the attempt back."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from leaderboard.rules.noop import noop

LEASE = timedelta(seconds=20)
"""How long a worker keeps an attempt after it last renewed its lease."""
SECONDS_PER_BEAT = 2.0
SECONDS_PER_TIME_SLICE = 5.0
TIMES_THE_FIRST_BLOCK = 10
"""A time slice lasts at least this many times as long as its first block took, so that slices are
not spent on loading a model again and again."""


class TimeSliceOver(Exception):
    """The time slice is over. Stored results stay; another time slice computes the rest."""


class LeaseLost(Exception):
    """Another worker has claimed the attempt."""


class TimeSlice:
    """A worker's time for an evaluation.

    keep: renews the lease, and returns False if it is lost; its argument says whether blocks are
    stored with it. between: called regularly while sandboxes compute.
    """

    def __init__(
        self,
        keep: Callable[[bool], bool],
        *,
        seconds: float = SECONDS_PER_TIME_SLICE,
        between: Callable[[], object] = noop,
    ) -> None:
        self._keep = keep
        self._between = between
        self._seconds = seconds
        self._began = self._kept = time.monotonic()
        self._first: float | None = None

    def renew(self, *, stored: bool = False) -> None:
        """Renew the lease. Raises LeaseLost."""
        if not self._keep(stored):
            raise LeaseLost
        self._kept = time.monotonic()

    def go_on(self) -> None:
        """Do other work and renew the lease; call it several times a second. Raises LeaseLost."""
        if time.monotonic() - self._kept > SECONDS_PER_BEAT:
            self.renew()
        self._between()

    def came(self) -> None:
        """Record that a result was computed."""
        self._first = self._first or time.monotonic()

    def is_over(self) -> bool:
        """Whether the time slice is over. It lasts until it has a result, to make progress."""
        if self._first is None:
            return False
        least = TIMES_THE_FIRST_BLOCK * (self._first - self._began)
        return time.monotonic() - self._began > max(self._seconds, least)

    def has_lasted(self) -> bool:
        """Whether its seconds have passed, with or without results."""
        return time.monotonic() - self._began > self._seconds
