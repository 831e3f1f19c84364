"""QR codes of links, as the path of an SVG: no styles, so that our CSP allows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_M

QUIET: Final = 4
"""White modules around the code, as the standard asks for."""
MASK: Final = 0
"""The pattern that breaks up areas of one colour. Choosing the best of the eight takes six times
as long, and readers take any."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A QR code of `size` × `size` modules, with the quiet zone; `path` draws the dark ones."""

    size: int
    path: str


def qr_code(text: str) -> Picture:
    code = QRCode(error_correction=ERROR_CORRECT_M, border=QUIET, mask_pattern=MASK)
    code.add_data(text)
    code.make()
    rows: list[list[bool]] = code.get_matrix()
    path = "".join(
        f"M{left} {top}h1v1h-1z"
        for top, row in enumerate(rows)
        for left, is_dark in enumerate(row)
        if is_dark
    )
    return Picture(len(rows), path)
