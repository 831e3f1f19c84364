"""Colours as `#rrggbb`: their contrast as WCAG 2 measures it, and accents that can be read.

The colours of the two themes are those of `static/pages/pages.css`.
"""

from __future__ import annotations

import re
from colorsys import hls_to_rgb, rgb_to_hls
from typing import Final, NamedTuple

READABLE: Final = 4.5
"""The least contrast of text with its background, level AA."""
CODE: Final = re.compile(r"#[0-9a-f]{6}")
STEPS: Final = 200


class Theme(NamedTuple):
    """What an accent is seen on. backgrounds: those of links. on_accent: text on the accent.

    wash, strong: what is mixed into the accent for the backgrounds of marks, and for their text,
    with the share of the accent in each.
    """

    backgrounds: tuple[str, ...]
    on_accent: str
    wash: tuple[str, float]
    strong: tuple[str, float]


LIGHT: Final = Theme(
    ("#fbfbf9", "#ffffff", "#f3f4f0"), "#ffffff", ("#ffffff", 0.1), ("#000000", 0.76)
)
DARK: Final = Theme(
    ("#131614", "#191d1a", "#1e2320"), "#0c1d16", ("#131614", 0.11), ("#ffffff", 0.72)
)


class Accent(NamedTuple):
    """The colours that an accent makes in a theme."""

    colour: str
    strong: str
    wash: str


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def accent_in(theme: Theme, colour: str) -> Accent:
    return Accent(colour, _mixed(colour, *theme.strong), _mixed(colour, *theme.wash))


def lowest_contrast(theme: Theme, colour: str) -> float:
    """The lowest contrast with anything that an accent stands on, or that stands on it."""
    accent = accent_in(theme, colour)
    pairs = [(colour, other) for other in (*theme.backgrounds, theme.on_accent, accent.wash)]
    pairs += [(accent.strong, accent.wash), (accent.strong, theme.on_accent)]
    return min(contrast(*pair) for pair in pairs)


def nearest_readable(theme: Theme, colour: str) -> str:
    """The colour of the same hue and saturation, as light as possible alike, that can be read."""
    hue, lightness, saturation = rgb_to_hls(*_parts(colour))
    for step in range(STEPS + 1):
        for moved in (lightness - step / STEPS, lightness + step / STEPS):
            candidate = _code(hls_to_rgb(hue, min(max(moved, 0.0), 1.0), saturation))
            if lowest_contrast(theme, candidate) >= READABLE:
                return candidate
    raise AssertionError("Black or white can be read in every theme.")


def _luminance(colour: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in _parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = zip(_parts(colour), _parts(other), strict=True)
    red, green, blue = (part * share + added * (1 - share) for part, added in pairs)
    return _code((red, green, blue))


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _code(parts: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)
