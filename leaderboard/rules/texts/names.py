"""Names of participants: what is accepted, and when two are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from leaderboard.rules.texts.joiners import JOINERS, is_needed, without_joiners
from leaderboard.rules.texts.messages import Message, message

MAX_LENGTH = 120
MAX_MARKS: Final = 4
"""Combining marks on one letter. Written languages need up to three, Tibetan and Hebrew four."""

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
_MARKS: Final = frozenset({"Mn", "Me"})
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
    if not _BLANK.isdisjoint(text):
        for character in text:
            if character in _BLANK and character not in _STYLES:
                raise UnfitName(_blank(character))
    if not (_BLANK.isdisjoint(name) and _MARKS.isdisjoint(map(unicodedata.category, name))):
        for wrong in _unfit(name):
            raise UnfitName(wrong)
    return name


def plain_name(text: str) -> str:
    """A name normalised as by `clean_name`, but not checked for readability. Raises ValueError."""
    if text.isascii() and text.isprintable():  # nothing to normalise, and nothing that is refused
        return _of_right_length(" ".join(text.split()))
    if not text.isprintable():
        for at, character in enumerate(text):
            if character in JOINERS and is_needed(text, at):
                continue
            if refused := _refused(unicodedata.category(character), character):
                raise ValueError(refused)
    if any(style in text for style in _STYLES):
        text = re.sub("(.)[\ufe0e\ufe0f]", _without_style, text)
    return _of_right_length(" ".join(unicodedata.normalize("NFKC", text).split()))


def _refused(category: str, character: str) -> Message | None:
    """Why no name may hold a character; None if names may."""
    if category[0] not in "CZ" or category == "Zs":
        return None
    got = _code(character)
    match category:
        case "Cc":
            return message("must not hold control characters; got {got}", got=got)
        case "Cf":
            return message(
                "must not hold invisible or direction-changing characters; got {got}", got=got
            )
        case "Cs":
            return message("must not hold lone surrogates; got {got}", got=got)
        case "Co":
            return message("must not hold private-use characters; got {got}", got=got)
        case "Cn":
            return message("must not hold unassigned characters; got {got}", got=got)
    return message("must not hold line separators; got {got}", got=got)


def _of_right_length(name: str) -> str:
    if not 1 <= len(name) <= MAX_LENGTH:
        most, length = MAX_LENGTH, len(name)
        raise ValueError(
            message("must have 1 to {most} characters; got {length}", most=most, length=length)
        )
    return name


def name_key(name: str) -> str:
    """The key that must be unique: equal for names that differ only in case or in joiners."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFKC", without_joiners(name).casefold())


def _without_style(match: re.Match[str]) -> str:
    """A symbol without its variation selector if NFKC turns it into letters, as with ™."""
    symbol = match[1]
    return match[0] if unicodedata.normalize("NFKC", symbol) == symbol else symbol


def _unfit(name: str) -> Iterator[Message]:
    marks = 0
    for at, character in enumerate(name):
        if character in _BLANK and not _is_style(name, at):
            yield _blank(character)
        is_mark = unicodedata.category(character) in _MARKS and character not in _STYLES
        marks = marks + 1 if is_mark else 0
        if marks and at == 0:
            got = _called(character)
            yield message("must not begin with a combining mark; got {got}", got=got)
        if marks > MAX_MARKS:
            yield message(
                "must have at most {most} combining marks on a letter; got more", most=MAX_MARKS
            )


def _is_style(name: str, at: int) -> bool:
    """Whether a character is a variation selector of the symbol before it: ❤️, 1️⃣."""
    if name[at] not in _STYLES or at == 0:
        return False
    if name[at + 1 : at + 2] == _KEYCAP:
        return name[at - 1] in "0123456789#*"
    return unicodedata.category(name[at - 1]) in _STYLED


def _blank(character: str) -> Message:
    got = _called(character)
    return message("must hold only characters that can be seen; got {got}", got=got)


def _called(character: str) -> str:
    return f"{_code(character)} ({unicodedata.name(character, 'unnamed')})"


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"
