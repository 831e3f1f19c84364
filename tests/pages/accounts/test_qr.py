"""The pictures on the sheet of links."""

from __future__ import annotations

import re

from qrcode import QRCode
from qrcode.constants import ERROR_CORRECT_M

from leaderboard.pages.accounts.qr import QUIET, qr_code

LINK = "https://board.example.org/podium/link/#k7m2x-k7m2x-k7m2x-k7m2x-k7m2x"


def dark_modules(path: str) -> set[tuple[int, int]]:
    """The (left, top) of each square of a path that has nothing but squares of one module."""
    squares = re.findall(r"M(\d+) (\d+)h1v1h-1z", path)
    assert "".join(f"M{left} {top}h1v1h-1z" for left, top in squares) == path
    return {(int(left), int(top)) for left, top in squares}


def test_the_picture_is_the_code_of_the_link() -> None:
    code = QRCode(error_correction=ERROR_CORRECT_M, border=0, mask_pattern=0)
    code.add_data(LINK)
    expected = {
        (left + QUIET, top + QUIET)
        for top, row in enumerate(code.get_matrix())
        for left, is_dark in enumerate(row)
        if is_dark
    }
    picture = qr_code(LINK)
    assert dark_modules(picture.path) == expected
    assert picture.size == code.modules_count + 2 * QUIET
    assert dark_modules(qr_code(LINK[:-1] + "y").path) != expected


def test_the_picture_has_the_three_marks_and_white_around_it() -> None:
    """Readers find a code by its marks in three corners, each 7 modules wide."""
    picture = qr_code(LINK)
    dark, last = dark_modules(picture.path), picture.size - QUIET - 1
    for left, top in ((QUIET, QUIET), (last - 6, QUIET), (QUIET, last - 6)):
        edge = {(left + at, top) for at in range(7)} | {(left, top + at) for at in range(7)}
        core = {(left + x, top + y) for x in (2, 3, 4) for y in (2, 3, 4)}
        assert edge | core <= dark
        assert not dark & {(left + at, top + 1) for at in range(1, 6)}
    assert all(QUIET <= at <= last for module in dark for at in module)
