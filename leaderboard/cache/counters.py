"""The cache of one process, with counters that eviction does not reset."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache

MOST: Final = 50_000
"""The most counters at a time; some 10 MB."""
OTHERS: Final = "everybody else"
"""The end of the names of shared counters, for when there are too many."""


class Counters:
    """Numbers by name, each dropped after its time and never before.

    A client that creates many names cannot push out the counters of others: when there are too
    many, all new names of a kind share one counter.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: dict[str, tuple[int, float]] = {}
        self._looked_at = 0.0

    def count(self, name: str, by: int, seconds: float) -> int:
        """Add to a number, which starts at 0 and again after `seconds`; returns the sum.

        name: its first two parts are its kind, such as `rate:page` of `rate:page:192.0.2.7`.
        """
        now = monotonic()
        with self._lock:
            if name not in self._kept and len(self._kept) >= self._most:
                self._forget(now)
                if len(self._kept) >= self._most:
                    name = ":".join([*name.split(":")[:2], OTHERS])
            number, until = self._kept.get(name, (0, 0.0))
            if until <= now:
                number, until = 0, now + seconds
            self._kept[name] = number + by, until
            return number + by

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def _forget(self, now: float) -> None:
        """Drop expired counters; at most once a second, because this checks all of them."""
        if now < self._looked_at + 1:
            return
        self._looked_at = now
        self._kept = {name: counter for name, counter in self._kept.items() if counter[1] > now}


_counters = Counters()


class CountingLocMemCache(LocMemCache):
    """Django's cache in memory, which drops entries when it is full, but no counters."""

    def count(self, key: str, by: int, seconds: float) -> int:
        return _counters.count(key, by, seconds)

    def clear(self) -> Any:
        _counters.clear()
        return super().clear()
