"""Writes where a plugin's code is, shortly before its time is over.

The host ends a child that is late, which cannot say anything then. So the child starts a watchdog,
a thread of C that needs no turn of the interpreter, and that prints the stacks of all threads.
`leaderboard.sandbox.host.positions` reads them.
"""

import faulthandler
from time import monotonic

REARMED_EVERY = 1.0
"""Seconds: a child that answers many requests starts its watchdog at most so often."""

_seconds: float | None = None
_armed = 0.0


def watch(seconds: float | None) -> None:
    """Write the position shortly before `seconds` from now are over; None: never.

    A quarter of the time, at most a second, is left to write it on a busy host.
    """
    global _seconds
    _seconds = seconds
    watch_again(0.0)


def watch_again(after: float = REARMED_EVERY) -> None:
    """Start anew for the next request, unless that was done less than `after` seconds ago."""
    global _armed
    now = monotonic()
    if _seconds is None or now - _armed < after:
        return
    _armed = now
    faulthandler.dump_traceback_later(_seconds - min(1.0, _seconds / 4), file=2)
