"""The range of moments: everything before the year 10 000, which no calendar here can write."""

from __future__ import annotations

from typing import Final

LATEST_MS: Final = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z in milliseconds since 1970."""
MOMENT: Final = "must be a date and time with its offset, like 2026-11-20T08:00:00Z"
EPOCH_MS: Final = (
    "must be milliseconds since 1970, a whole number from 0 to"
    f" {LATEST_MS} (the end of the year 9999)"
)
