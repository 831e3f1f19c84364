"""Texts in the cells of tables that people open with a spreadsheet program, and back."""

from __future__ import annotations

import unicodedata
from typing import Final, TypeVar

FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a formula begins with."""

V = TypeVar("V")


def guarded(value: V) -> V | str:
    """The value; a text that may be a formula after an apostrophe, also if it has one already.

    Programs ignore spaces, and some of them invisible characters, before a formula.
    """
    return f"'{value}" if isinstance(value, str) and _may_be_formula(value) else value


def unguarded(cell: str) -> str:
    """The text that `guarded` made a cell of."""
    return cell[1:] if cell.startswith("'") and _may_be_formula(cell) else cell


def _may_be_formula(text: str) -> bool:
    """Whether the first visible character after apostrophes begins a formula."""
    for character in text.lstrip("'"):
        if character in FORMULAS or not _is_invisible(character):
            return character in FORMULAS
    return False


def _is_invisible(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cf", "Cc")
