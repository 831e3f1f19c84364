"""The seconds for which a thread lets other processes work, such as a sandbox."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_OF_THREAD: Final = threading.local()


def seconds_elsewhere() -> float:
    """How long other processes have worked for this thread, since it began."""
    seconds: float = getattr(_OF_THREAD, "seconds", 0.0)
    return seconds


@contextmanager
def working_elsewhere() -> Iterator[None]:
    """Count the seconds in this context as work of another process for this thread."""
    begun = time.monotonic()
    try:
        yield
    finally:
        _OF_THREAD.seconds = seconds_elsewhere() + time.monotonic() - begun
