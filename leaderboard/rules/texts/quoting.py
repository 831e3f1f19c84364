"""How error messages repeat sent values: shortened, in JSON notation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from leaderboard.rules.texts.messages import Message, message

MAX_SHOWN: Final = 80
"""The most characters of a value that an error repeats."""


def sent(value: object) -> str:
    """The value in JSON, cut after 80 characters: `"max"`, `2.5`, `null`; `an object`, `a list`."""
    if isinstance(value, str):
        quoted = json.dumps(value[:MAX_SHOWN], ensure_ascii=False)
        return quoted.encode(errors="backslashreplace").decode()  # halves of surrogate pairs
    if isinstance(value, Mapping):
        return message("an object")
    if isinstance(value, list | tuple):
        return message("a list") if value else "[]"
    try:
        return json.dumps(value, default=repr)[:MAX_SHOWN]
    except ValueError:  # raised for a whole number with thousands of digits
        return message("a number")


def with_sent(accepted: str, value: object) -> Message:
    """What is accepted, and the value that was sent instead: `must be a number; got "x"`."""
    return message("{accepted}; got {sent}", accepted=accepted, sent=sent(value))
