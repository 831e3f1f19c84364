"""Public ids: UUID version 7 (RFC 9562), so that ids made later sort later."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime
from uuid import UUID

_lock = threading.Lock()
_last = 0


def uuid7() -> UUID:
    """A new id: 48 bits of milliseconds, 12 bits of fraction, 62 random bits.

    Ids of one process never go backwards, even when the clock does.
    """
    random = int.from_bytes(os.urandom(8), "big") >> 2
    return UUID(int=(_tick_bits() << 64) | (0b10 << 62) | random)


def made_at(key: UUID) -> datetime:
    """The time when an id was made, from the milliseconds in its first 48 bits."""
    return datetime.fromtimestamp((key.int >> 80) / 1000, tz=UTC)


def least_id(at: datetime) -> UUID:
    """The smallest id that can be made at a moment: those made before are smaller."""
    return UUID(int=int(at.timestamp() * 1000) << 80)


def _tick_bits() -> int:
    global _last
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    with _lock:
        _last = max(_last + 1, (milliseconds << 12) | (rest << 12) // 1_000_000)
        tick = _last
    return ((tick >> 12) << 16) | (0x7 << 12) | (tick & 0xFFF)
