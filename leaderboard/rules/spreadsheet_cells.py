"""Texts in the cells of tables that people open with a spreadsheet program, and back."""

from __future__ import annotations

import re
from typing import Final

_FORMULA: Final = re.compile(r"'*\s*[=+\-@\t\r＝＋－＠]")
"""The beginning of a text that such a program may run as a formula, also after an apostrophe."""


def guarded(text: str) -> str:
    """The text as a cell that is no formula: with an apostrophe before it, if it needs one."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """The text that `guarded` made a cell of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
