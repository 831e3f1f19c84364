"""How the process of a script or a program ended, in words for participants."""

from __future__ import annotations

import re
import signal
from contextlib import suppress

from leaderboard.rules.failures import FailureCode
from leaderboard.rules.texts.plugin_output import cut

_PATH = re.compile(r"(?:/[^\s/'\":,]+){2,}")
_OUT_OF_MEMORY = re.compile(r"[\w.]*MemoryError\b")


def problem_of_ending(
    what: str, status: int | None, errors: str, seconds: float
) -> tuple[FailureCode, str] | None:
    """The code and a sentence about a process that did not end well; None if it did.

    what: the word for it, such as `script`. status: like `subprocess.returncode`; None if it was
    ended after its limit of `seconds`. errors: the end of what it printed. The last line of it is
    quoted without paths.
    """
    if status is None:
        return "timeout", f"The {what} took longer than {seconds:g} s."
    if status < 0:
        return "crashed", f"The {what}'s process was ended by {_signal_name(-status)}."
    if status == 0:
        return None
    lines = errors.strip().splitlines()
    if not lines:
        return "exception", f"The {what} ended with exit code {status} and said nothing."
    last = cut(_PATH.sub("…", lines[-1].strip()), 300)
    if _OUT_OF_MEMORY.match(last):
        return "out_of_memory", f"The {what} needed more memory than it is allowed."
    return "exception", f"The {what} stopped: {last}"


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
