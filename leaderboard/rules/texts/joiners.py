"""The zero-width joiner and non-joiner, where a script needs them to be spelt.

By the rules of RFC 5892 (appendix A.1 and A.2): after a virama, which they join with the next
letter or keep apart from it (Sinhala, Malayalam, Bengali, Hindi …); and the non-joiner between two
letters of a cursive script that would otherwise join (Persian, Urdu, Kurdish …). Elsewhere they are
drawn as nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

ZWNJ: Final = "\u200c"
ZWJ: Final = "\u200d"
JOINERS: Final = frozenset((ZWNJ, ZWJ))
_VIRAMA: Final = 9
"""The combining class of viramas."""
_CURSIVE: Final = ("ARABIC LETTER", "SYRIAC LETTER", "NKO LETTER", "MANDAIC LETTER")
_JOINS_NO_NEXT: Final = frozenset(
    map(
        chr,
        (
            *(0x0621, 0x0622, 0x0623, 0x0624, 0x0625, 0x0627, 0x0629),
            *range(0x062F, 0x0633),
            *(0x0648, 0x0671, 0x0672, 0x0673, 0x0674, 0x0675, 0x0676, 0x0677),
            *range(0x0688, 0x069A),
            *(0x06C0, *range(0x06C3, 0x06CC), 0x06CD, 0x06CF, 0x06D2, 0x06D3, 0x06D5),
            *(0x06EE, 0x06EF, 0x0710, *range(0x0715, 0x071A), 0x071E, 0x0728, 0x072A, 0x072C),
        ),
    )
)
"""Letters that never join with the one after them: Unicode's Joining_Type R and U."""
_JOINS_NOTHING: Final = frozenset("\u0621\u0674")


def is_needed(text: str, at: int) -> bool:
    """Whether the script needs the joiner at a place of the text."""
    if at == 0 or at == len(text) - 1:
        return False
    if unicodedata.combining(text[at - 1]) == _VIRAMA:
        return unicodedata.category(text[at + 1])[0] == "L"
    if text[at] == ZWJ:
        return False
    before = _letter(reversed(text[:at]))
    after = _letter(iter(text[at + 1 :]))
    return _joins(before, _JOINS_NO_NEXT) and _joins(after, _JOINS_NOTHING)


def is_readable(text: str) -> bool:
    """Whether all characters can be printed, or are joiners that the script needs."""
    return text.isprintable() or all(
        character.isprintable() or (character in JOINERS and is_needed(text, at))
        for at, character in enumerate(text)
    )


def readable(text: str) -> str:
    """The text with a space for each character that is drawn as nothing."""
    if text.isprintable():
        return text
    return "".join(
        character
        if unicodedata.category(character)[0] != "C"
        or (character in JOINERS and is_needed(text, at))
        else " "
        for at, character in enumerate(text)
    )


def without_joiners(text: str) -> str:
    """The text that names are compared by: joiners make no other name."""
    return text.replace(ZWNJ, "").replace(ZWJ, "")


def _letter(characters: Iterable[str]) -> str:
    """The first that is no mark; "" for none."""
    marks = ("Mn", "Me")
    return next(
        (character for character in characters if unicodedata.category(character) not in marks), ""
    )


def _joins(letter: str, never: frozenset[str]) -> bool:
    is_cursive = bool(letter) and unicodedata.name(letter, "").startswith(_CURSIVE)
    return is_cursive and letter not in never
