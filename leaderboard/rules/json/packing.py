"""Compressed JSON values, for columns that the database never reads."""

from __future__ import annotations

import json
import zlib
from typing import Any

FASTEST = 1
"""zlib's level: larger ones take three times as long to make a text a tenth smaller."""


def packed(value: Any) -> bytes:
    """A JSON value, compressed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode(), FASTEST)


def unpacked(content: bytes | memoryview) -> Any:
    """The JSON value that `packed` compressed."""
    return json.loads(inflated(content))


def inflated(content: bytes | memoryview) -> bytes:
    """The JSON text that `packed` compressed."""
    return zlib.decompress(content)
