"""How long a server waits for the rest of a request, so that nobody holds it by sending slowly."""

from __future__ import annotations

from typing import Final

HEADER_SECONDS: Final = 20
"""The longest time from the first byte of a request to the end of its headers."""
BODY_SECONDS: Final = 10
"""The time for the body of any request, from its first byte on: small forms have no more."""
LEAST_RATE: Final = 16 * 1024
"""The bytes in a second for which a larger body gets more time."""
LONGEST_SECONDS: Final = 15 * 60
"""The longest time for a body: 65 MiB over a slow line need less."""


def body_seconds(size: int) -> float:
    """The longest time from the first byte of a request to the last of a body of some bytes."""
    return min(LONGEST_SECONDS, BODY_SECONDS + size / LEAST_RATE)
