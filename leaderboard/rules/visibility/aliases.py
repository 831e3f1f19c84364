"""Aliases for numbers; mapping an alias back to its number needs the key."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Final

PREFIX: Final = "anonymous-"
MOST: Final = 2**32
"""The numbers below this one have an alias."""
ROUNDS: Final = 8
_HALF: Final = 24
_MASK: Final = (1 << _HALF) - 1
_ALIAS: Final = re.compile(rf"{PREFIX}([0-9a-f]{{12}})")


def alias_of(number: int, key: bytes) -> str:
    """The alias of a number from 0 to 2^32 - 1, like `anonymous-3f9a1c2b07d4`.

    Different numbers have different aliases. It is a Feistel network over both halves of the
    number, with HMAC-SHA256 as the function of each round.
    """
    left, right = number >> _HALF, number & _MASK
    for turn in range(ROUNDS):
        left, right = right, left ^ _mixed(turn, right, key)
    return f"{PREFIX}{left << _HALF | right:012x}"


def number_of(alias: str, key: bytes) -> int | None:
    """The number whose alias under the key this is; None if it is no alias, or of another key.

    An alias of another key is taken for one of this key once in 65 536 times.
    """
    match = _ALIAS.fullmatch(alias)
    if match is None:
        return None
    together = int(match[1], 16)
    left, right = together >> _HALF, together & _MASK
    for turn in reversed(range(ROUNDS)):
        left, right = right ^ _mixed(turn, left, key), left
    number = left << _HALF | right
    return number if number < MOST else None


def _mixed(turn: int, half: int, key: bytes) -> int:
    text = turn.to_bytes(1) + half.to_bytes(3)
    return int.from_bytes(hmac.digest(key, text, hashlib.sha256)[:3])
