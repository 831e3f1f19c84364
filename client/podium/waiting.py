"""Waiting for a server: pauses that grow, until a time is over."""

from __future__ import annotations

import time
from typing import Final

from podium.errors import StillWaiting

FIRST_PAUSE: Final = 0.3
LONGEST_PAUSE: Final = 10.0


class Waiting:
    """Pauses between questions, for `timeout` seconds from the first one on."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._ends: float | None = None
        self._pause = FIRST_PAUSE

    def pause(self, reason: str) -> None:
        """Sleep before the next question. Raises StillWaiting with the reason if time is over."""
        import random

        now = time.monotonic()
        if self._ends is None:
            self._ends = now + self._timeout
        if now + self._pause > self._ends:
            raise StillWaiting(reason)
        time.sleep(self._pause * random.uniform(0.8, 1.2))  # noqa: S311 - nothing secret
        self._pause = min(self._pause * 1.5, LONGEST_PAUSE)
