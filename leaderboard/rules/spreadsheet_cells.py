"""Cells of the tables that we write, which no spreadsheet program may run as a formula."""

from __future__ import annotations

import unicodedata
from typing import Final, TypeVar

FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a formula begins with."""

V = TypeVar("V")


def guarded(value: V) -> V | str:
    """The value; a text that may be a formula after an apostrophe.

    Programs ignore spaces, and some of them invisible characters, before a formula.
    """
    if isinstance(value, str) and _beginning(value).startswith(FORMULAS):
        return f"'{value}"
    return value


def _beginning(text: str) -> str:
    """The text from its first visible character, or from a character that begins a formula."""
    for at, character in enumerate(text):
        if character in FORMULAS or not _is_invisible(character):
            return text[at:]
    return ""


def _is_invisible(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cf", "Cc")
