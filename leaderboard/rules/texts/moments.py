"""The range of moments: everything before the year 10 000, which no calendar here can write."""

from __future__ import annotations

from typing import Final

from leaderboard.rules.texts.messages import message

LATEST_MS: Final = 253_402_300_799_999
"""9999-12-31T23:59:59.999Z in milliseconds since 1970."""
EPOCH_MS: Final = message(
    "must be milliseconds since 1970, a whole number from 0 to {most} (the end of the year 9999)",
    most=LATEST_MS,
)
