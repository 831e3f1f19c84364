"""Changes of one challenge that are served at the same time: they must not take all threads.

If another session of the database holds a lock of a challenge, whoever changes that challenge waits
for it, for up to ten seconds. Other challenges have threads that are free meanwhile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import monotonic
from typing import Final

from django.conf import settings

MOST: Final = 6
"""The threads, of eight, that changes of one challenge may take."""
MOST_OF_SLOW: Final = 3
"""The same while one of them takes long."""
LONG_SECONDS: Final = 2.0
CHALLENGE: Final = re.compile(r"/(?:api/v1/challenges|c)/([^/?]+)/|/(?:api/v1/)?(attempts)/")


class Crowded(Exception):
    """Another change of the same challenge has to wait, without a thread of all requests."""


@dataclass(frozen=True, eq=False)
class Change:
    """A request that changes a challenge. subject: which one; it began at a monotonic time."""

    subject: str
    began: float


class Crowds:
    """The changes that a web process serves. Only one thread may use it."""

    def __init__(self) -> None:
        self._served: dict[str, set[Change]] = {}

    def begin(self, method: str, path: str) -> Change | None:
        """A change that is served from now on; None for a request that changes no challenge.

        Raises Crowded if changes of the same challenge have as many threads as they may take.
        """
        subject, now = subject_of(method, path), monotonic()
        if not subject:
            return None
        served = self._served.setdefault(subject, set())
        is_slow = any(now > change.began + LONG_SECONDS for change in served)
        if len(served) >= (MOST_OF_SLOW if is_slow else MOST):
            raise Crowded
        served.add(change := Change(subject, now))
        return change

    def end(self, change: Change) -> None:
        served = self._served.get(change.subject, set())
        served.discard(change)
        if not served:
            self._served.pop(change.subject, None)


def subject_of(method: str, path: str) -> str:
    """The challenge that a request may change; "attempts" for one that names only an attempt."""
    if method in ("GET", "HEAD", "OPTIONS"):
        return ""
    match = CHALLENGE.match(path.removeprefix(settings.PREFIX))
    return (match[1] or match[2]) if match else ""
