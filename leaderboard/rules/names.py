"""Names of participants: what is accepted, and when two are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

MAX_LENGTH = 120
MAX_MARKS: Final = 4
"""Combining marks on one letter. Written languages need up to three, Tibetan and Hebrew four."""

_REFUSED = {
    "Cc": "control characters",
    "Cf": "invisible or direction-changing characters",
    "Cs": "lone surrogates",
    "Co": "private-use characters",
    "Cn": "unassigned characters",
    "Zl": "line separators",
    "Zp": "line separators",
}
_BLANK: Final = frozenset(
    map(
        chr,
        (
            0x034F,  # combining grapheme joiner
            *(0x115F, 0x1160, 0x3164, 0xFFA0),  # Hangul fillers
            *(0x17B4, 0x17B5),  # inherent vowels of Khmer
            *(0x180B, 0x180C, 0x180D, 0x180F),  # Mongolian variation selectors
            0x2800,  # Braille without a dot
            *range(0xFE00, 0xFE10),  # variation selectors
            0xFFFC,  # in the place of an object that is not there
            *(0x13441, 0x13442, 0x16FE4, 0x1D159),  # blanks of hieroglyphs, Khitan and music
            *range(0xE0100, 0xE01F0),  # more variation selectors
        ),
    )
)
"""Letters, marks and symbols that are drawn as nothing; Unicode's Default_Ignorable_Code_Point has
most of them."""
_STYLES: Final = ("\ufe0e", "\ufe0f")
"""Drawn as text, or as an emoji: these say how the symbol before them is drawn."""
_STYLED: Final = ("So", "Sm", "Sk")
_KEYCAP: Final = "\u20e3"


class UnfitName(ValueError):
    """An unreadable name, which was accepted in the past but is refused for new participants."""


def clean_name(text: str) -> str:
    """The name as stored: NFKC, single spaces, trimmed.

    Raises ValueError, fit for the user, when nothing is left, when it is longer than 120
    characters, or when it holds characters that cannot be seen or that change others; UnfitName
    when it holds blanks in the shape of letters, or more marks on one letter than can be read.
    """
    name = plain_name(text)
    if text.isascii():
        return name
    sent = (each for each in text if each in _BLANK and each not in _STYLES)
    for wrong in (*map(_blank, sent), *_unfit(name)):
        raise UnfitName(wrong)
    return name


def plain_name(text: str) -> str:
    """A name normalised as by `clean_name`, but not checked for readability. Raises ValueError."""
    if text.isascii() and text.isprintable():  # nothing to normalise, and nothing that is refused
        return _of_right_length(" ".join(text.split()))
    for character in text:
        refused = _REFUSED.get(unicodedata.category(character))
        if refused:
            raise ValueError(f"must not hold {refused} (U+{ord(character):04X})")
    styled = re.sub("(.)[\ufe0e\ufe0f]", _without_style, text)
    return _of_right_length(" ".join(unicodedata.normalize("NFKC", styled).split()))


def _of_right_length(name: str) -> str:
    if not 1 <= len(name) <= MAX_LENGTH:
        raise ValueError(f"must have 1 to {MAX_LENGTH} characters")
    return name


def name_key(name: str) -> str:
    """The key that must be unique: equal for names that differ only in case."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFKC", name.casefold())


def _without_style(found: re.Match[str]) -> str:
    """A symbol without its variation selector if NFKC turns it into letters, as with ™."""
    symbol = found[1]
    return found[0] if unicodedata.normalize("NFKC", symbol) == symbol else symbol


def _unfit(name: str) -> Iterator[str]:
    marks = 0
    for at, character in enumerate(name):
        if character in _BLANK and not _is_style(name, at):
            yield _blank(character)
        is_mark = unicodedata.category(character) in ("Mn", "Me") and character not in _STYLES
        marks = marks + 1 if is_mark else 0
        if marks and at == 0:
            yield f"must not begin with a combining mark; got {_called(character)}"
        if marks > MAX_MARKS:
            yield f"must have at most {MAX_MARKS} combining marks on a letter; got more"


def _is_style(name: str, at: int) -> bool:
    """Whether a character is a variation selector of the symbol before it: ❤️, 1️⃣."""
    if name[at] not in _STYLES or at == 0:
        return False
    if name[at + 1 : at + 2] == _KEYCAP:
        return name[at - 1] in "0123456789#*"
    return unicodedata.category(name[at - 1]) in _STYLED


def _blank(character: str) -> str:
    return f"must hold only characters that can be seen; got {_called(character)}"


def _called(character: str) -> str:
    return f"U+{ord(character):04X} ({unicodedata.name(character, 'unnamed')})"
