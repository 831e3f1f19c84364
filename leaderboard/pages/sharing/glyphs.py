"""Which characters the fonts of pictures have, and how wide they are.

Reads the tables `cmap`, `hhea` and `hmtx` of TrueType and OpenType fonts, and of collections.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings

OWN: Final = Path(__file__).parent / "fonts" / "DejaVuSans.ttf"
FAMILY: Final = "DejaVu Sans"
NOTHING: Final = "–"
WIDE: Final = 1.0
USUAL: Final = 0.6
"""Widths of characters that no font has, in font sizes."""


class FontGlyphs(NamedTuple):
    """The widths of the characters of a font, in font sizes, by code point."""

    widths: Mapping[int, float]


def font_files() -> list[str]:
    """The fonts of pictures: our own, then those of the operator."""
    return [str(OWN), *settings.OG_FONTS]


def drawable(text: str) -> str:
    """A text that the fonts can draw.

    Symbols without a glyph, such as emoji, are left out. A text of which a letter or a digit has
    none is replaced by `–` as a whole, because the rest of it would be another name.
    """
    plain = "".join(char for char in text if not unicodedata.category(char).startswith("C"))
    missing = [char for char in plain if not (char.isspace() or _width(char) is not None)]
    if any(unicodedata.category(char)[0] in "LNM" for char in missing if not _varies(char)):
        return NOTHING
    return "".join(char for char in plain if char not in missing).strip() or NOTHING


def text_width(text: str, size: float) -> float:
    """About how wide a text is, in units of the font size."""
    return size * sum(_width_or_guess(char) for char in text)


def cut(text: str, size: float, room: float) -> str:
    """The longest beginning of a text that fits, with `…` if something is cut off."""
    if text_width(text, size) <= room:
        return text
    kept = text
    while kept and text_width(f"{kept}…", size) > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def _varies(char: str) -> bool:
    """Whether a character only selects a variant of the one before it."""
    return 0xFE00 <= ord(char) <= 0xFE0F or char == "\u20e3"


def _width_or_guess(char: str) -> float:
    width = _width(char)
    if width is not None:
        return width
    return WIDE if unicodedata.east_asian_width(char) in "WF" else USUAL


def _width(char: str) -> float | None:
    """The width of a character in the first font that has it; None if none has."""
    code = ord(char)
    for file in font_files():
        if (width := glyphs_of(file).widths.get(code)) is not None:
            return width
    return None


@cache
def glyphs_of(file: str) -> FontGlyphs:
    """The glyphs of a font; none if the file is not one that can be read."""
    try:
        return FontGlyphs(_widths(Path(file).read_bytes()))
    except (OSError, struct.error, IndexError, KeyError):
        return FontGlyphs({})


def _widths(data: bytes) -> dict[int, float]:
    start = struct.unpack_from(">L", data, 12)[0] if data[:4] == b"ttcf" else 0
    (count,) = struct.unpack_from(">H", data, start + 4)
    entries = (struct.unpack_from(">4sLLL", data, start + 12 + 16 * at) for at in range(count))
    tables = {name: offset for name, _, offset, _ in entries}
    (per_em,) = struct.unpack_from(">H", data, tables[b"head"] + 18)
    (long,) = struct.unpack_from(">H", data, tables[b"hhea"] + 34)
    advances = [
        struct.unpack_from(">H", data, tables[b"hmtx"] + 4 * at)[0] / per_em for at in range(long)
    ]
    return {
        code: advances[min(glyph, long - 1)]
        for code, glyph in _characters(data, tables[b"cmap"])
        if glyph
    }


def _characters(data: bytes, cmap: int) -> Iterator[tuple[int, int]]:
    """The code points of a font with their glyphs, from its widest table."""
    (count,) = struct.unpack_from(">H", data, cmap + 2)
    entries = [struct.unpack_from(">HHL", data, cmap + 4 + 8 * at) for at in range(count)]
    offsets = [cmap + offset for platform, _, offset in entries if platform in (0, 3)]
    formats = {struct.unpack_from(">H", data, at)[0]: at for at in offsets}
    if 12 in formats:
        yield from _groups(data, formats[12])
    elif 4 in formats:
        yield from _segments(data, formats[4])


def _groups(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Format 12: ranges of code points with consecutive glyphs."""
    (count,) = struct.unpack_from(">L", data, at + 12)
    for number in range(count):
        first, last, glyph = struct.unpack_from(">LLL", data, at + 16 + 12 * number)
        yield from ((code, glyph + code - first) for code in range(first, min(last, 0x10FFFF) + 1))


def _segments(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Format 4: segments of the first 65536 code points."""
    (double,) = struct.unpack_from(">H", data, at + 6)
    count = double // 2

    def part(place: int, kind: str) -> Sequence[int]:
        return struct.unpack_from(f">{count}{kind}", data, at + place)

    ends, starts = part(14, "H"), part(16 + double, "H")
    deltas, ranges = part(16 + 2 * double, "h"), part(16 + 3 * double, "H")
    for segment in range(count):
        for code in range(starts[segment], ends[segment] + 1):
            if not ranges[segment]:
                yield code, (code + deltas[segment]) & 0xFFFF
                continue
            place = at + 16 + 3 * double + 2 * segment + ranges[segment]
            (glyph,) = struct.unpack_from(">H", data, place + 2 * (code - starts[segment]))
            yield code, glyph and (glyph + deltas[segment]) & 0xFFFF
