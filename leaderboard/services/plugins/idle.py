"""Ends the sandboxes of this process that nobody uses, and returns freed memory to the system.

A sandbox keeps some processes ready: 60 MB, or 150 MB for text metrics. Most processes need most of
their sandboxes rarely.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import Final

from leaderboard.operating.heap import return_memory
from leaderboard.sandbox import Sandbox

SECONDS_PER_LOOK: Final = 60.0

_changing = threading.Lock()
_thread: threading.Thread | None = None


def end_when_idle(sandboxes: Mapping[str, Sandbox], seconds: float) -> None:
    """Begin to end the sandboxes of a mapping that have been idle for some seconds."""
    global _thread
    with _changing:
        if _thread is None:
            _thread = threading.Thread(
                target=_work, args=(sandboxes, seconds), name="idle", daemon=True
            )
            _thread.start()


def _work(sandboxes: Mapping[str, Sandbox], seconds: float) -> None:
    while True:
        time.sleep(SECONDS_PER_LOOK)
        for sandbox in dict(sandboxes).values():
            sandbox.close_if_idle(seconds)
        return_memory()


def _forget() -> None:
    """In a forked process, which has no other thread."""
    global _thread, _changing
    _thread, _changing = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
