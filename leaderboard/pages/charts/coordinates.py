"""Numbers as texts of an SVG."""

from __future__ import annotations


def written(number: float) -> str:
    """A coordinate to a tenth of a unit, as short as possible: `12.5`, `3`, `0`."""
    text = f"{number:z.1f}"
    return text.removesuffix(".0")
