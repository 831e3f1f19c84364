"""Order as bytes: ranked values become a byte string that sorts like them.

Two databases, an index, and a Python sort must agree on one order. Text collations and float
comparisons do not; unsigned bytes do.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

Direction = Literal["asc", "desc"]

PRECISION = 9
"""Decimal digits that count: values that agree to 1e-9 are equal."""

MISSING = b"\xff" * 8
"""An absent value: after every number, whichever the direction."""

REACHED_LENGTH = 24
"""Bytes of a `reached_key`."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SIGN = 1 << 63
_ALL = (1 << 64) - 1


def number_key(value: float | None, direction: Direction, decimals: int = PRECISION) -> bytes:
    """Eight bytes that sort as `value` does in `direction`; `None` sorts last in both.

    Values that are equal when rounded to `decimals` have the same key.

    The IEEE 754 pattern of a positive number already sorts as an unsigned integer; that of a
    negative one sorts backwards, so all its bits are flipped.
    """
    if value is None:
        return MISSING
    number = round(float(value), decimals) + 0.0
    if direction == "desc":
        number = -number + 0.0
    bits: int = struct.unpack(">Q", struct.pack(">d", number))[0]
    return (bits ^ _ALL if bits & _SIGN else bits | _SIGN).to_bytes(8)


Ranked = tuple[float | None, Direction] | tuple[float | None, Direction, int]
"""A value, its direction, and how many decimals of it are compared: 9 if it does not say."""


def values_key(values: Sequence[Ranked]) -> bytes:
    """The key of several ranked values, the first of them deciding first."""
    return b"".join(number_key(*value) for value in values)


def time_key(moment: datetime) -> bytes:
    """Eight bytes that sort as the time does, to the microsecond."""
    return micros_key(micros_of(moment))


def micros_of(moment: datetime) -> int:
    """Microseconds since 1970."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def micros_key(micros: int) -> bytes:
    """The `time_key` of a moment that is given in microseconds since 1970."""
    return (micros + _SIGN).to_bytes(8)


def reached_key(moment: datetime, attempt_id: UUID) -> bytes:
    """The key that orders rows with equal values: by time, then by id."""
    return time_key(moment) + attempt_id.bytes


def reversed_key(key: bytes) -> bytes:
    """The same order backwards, for keys of one length."""
    return bytes(255 - byte for byte in key)
