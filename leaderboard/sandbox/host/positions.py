"""Where a plugin's code was when its time was over, as its child has written it.

The text is the plugin's own output and may be forged: it is shown to organisers and authors only.
"""

import re

from leaderboard.rules.texts.plugin_output import MAX_DETAIL_BYTES, clean_output

_POSITION = re.compile(
    rb"^Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!\n"
    rb"(?:(?:(?:Current t|T)hread 0x\w+.*| +File .*| +\.\.\.|)\n)*",
    re.MULTILINE,
)
"""What `faulthandler` writes."""
_OURS = (b"/leaderboard/sandbox/", b"/leaderboard/rules/")


def without_positions(printed: bytes) -> bytes:
    """What a plugin printed, without its positions."""
    return _POSITION.sub(b"", printed)


def last_position(printed: bytes) -> str:
    """The stack of the plugin, the innermost call first; "" if its child has written none."""
    stacks_printed = _POSITION.findall(printed)
    if not stacks_printed:
        return ""
    stacks = b"\n".join(filter(None, map(_stack, stacks_printed[-1].split(b"hread 0x")[1:])))
    if not stacks:
        return ""
    return clean_output(b"Where it was, the innermost call first:\n" + stacks, MAX_DETAIL_BYTES)


def _is_ours(line: bytes) -> bool:
    return any(folder in line for folder in _OURS)


def _stack(thread: bytes) -> bytes:
    """The lines of a thread that are not ours."""
    lines = [line for line in thread.splitlines() if line.startswith(b"  File ")]
    own = next((at for at, line in enumerate(lines) if _is_ours(line)), len(lines))
    return b"\n".join(lines[:own])
