"""Texts in scripts that have no spaces between words: Chinese, Japanese, Thai and their neighbours.

A metric of words takes a sentence of these for one word, and is all or nothing.
"""

import re
import unicodedata
from collections.abc import Sequence

from scorers.protocol import Instance

UNSPACED_SCRIPTS = (
    *("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "BOPOMOFO"),
    *("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "YI SYLLABLE"),
)
"""How the names of the characters of these scripts begin."""
_SPACES = re.compile(r"\s+")


class _Spaced(dict[int, str]):
    """A table for `str.translate` that puts spaces around each character of these scripts, with the
    vowels and tones on it; filled as characters are met.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = f" {character} " if is_unspaced(character) else character
        return self[code]


def is_unspaced(character: str) -> bool:
    """Whether a character is a letter of a script without spaces between words."""
    return unicodedata.category(character)[0] == "L" and unicodedata.name(character, "").startswith(
        UNSPACED_SCRIPTS
    )


_TABLE = _Spaced()


def words_and_characters(text: str) -> list[str]:
    """The words of a text; those of scripts without spaces by the character."""
    return text.translate(_TABLE).split()


def has_unspaced(text: str) -> bool:
    """Whether a word of a text has several characters of these scripts."""
    return not text.isascii() and any(
        sum(map(is_unspaced, word)) > 1 for word in text.split() if not word.isascii()
    )


def warnings_of(instances: Sequence[Instance], warning: str) -> dict[int, str]:
    """The warning for each instance with a reference in such a script, by position."""
    return {
        at: warning
        for at, instance in enumerate(instances)
        if any(map(has_unspaced, instance.references))
    }


def without_spaces(text: str) -> str:
    """A text without white space, its characters in their usual width and form (NFKC)."""
    return _SPACES.sub("", unicodedata.normalize("NFKC", text))
