"""One text for equal JSON values: to compare them, and to compute their hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

_PIECEMEAL: Final = 3
"""As deep as the instances of an attempt's evaluation are."""


def canonical(value: Any) -> bytes:
    """The same text for equal values, with any order of names and any white space."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest(value: Any) -> str:
    """SHA-256 of the `canonical` text of a value, computed in pieces to save memory."""
    sha256 = hashlib.sha256()
    for piece in _pieces(value, _PIECEMEAL):
        sha256.update(piece)
    return sha256.hexdigest()


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: `1` is `1.0`, and `true` is neither."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def _pieces(value: Any, levels: int) -> Iterator[bytes]:
    """The canonical text in pieces: lists and objects of so many levels item by item."""
    if not levels or not value or not isinstance(value, dict | list):
        yield canonical(value)
        return
    before = b"{" if isinstance(value, dict) else b"["
    for item in sorted(value) if isinstance(value, dict) else value:
        yield before
        before = b","
        if isinstance(value, dict):
            yield canonical(item) + b":"
        yield from _pieces(value[item] if isinstance(value, dict) else item, levels - 1)
    yield b"}" if isinstance(value, dict) else b"]"
