"""Reads finite numbers from files of other tools."""

from __future__ import annotations

from typing import Final

MAX: Final = 1e308


def finite(value: object) -> float | None:
    """The number as a finite float; None for anything else, booleans included."""
    if type(value) not in (int, float) or not -MAX < value < MAX:  # type: ignore[operator]
        return None
    return float(value) + 0.0  # type: ignore[arg-type]
