"""Which names look alike: the skeletons of Unicode Technical Standard 39, section 4."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from leaderboard.rules.texts.joiners import without_joiners

MAX_LENGTH: Final = 400


def skeleton(name: str) -> str:
    """A text that is equal for names that look alike: `Atlas`, `AtIas`, `Аtlas` (Cyrillic А).

    It is UTS 39's skeleton, ignoring case, cut to 400 characters, and only for comparing.
    """
    return _drawn(_drawn(name).casefold())[:MAX_LENGTH]


def _drawn(text: str) -> str:
    """The decomposed text with each character replaced by the one that it looks like."""
    if text.isascii():  # nothing to decompose or to compose
        return text.translate(_ascii_prototypes())
    plain = unicodedata.normalize("NFKD", without_joiners(text))
    drawn = map(_prototypes().get, plain, plain)  # a character that has none stands for itself
    return unicodedata.normalize("NFD", "".join(drawn))


@cache
def _prototypes() -> Mapping[str, str]:
    lines = Path(__file__).with_name("confusables.txt").read_text("utf-8").splitlines()
    prototypes: dict[str, str] = {}
    for line in lines:
        prototype, colon, look_alikes = line.partition(":")
        if colon and not line.startswith("#"):
            drawn = "".join(chr(int(code, 16)) for code in prototype.split("+"))
            prototypes |= {chr(int(code, 16)): drawn for code in look_alikes.split()}
    return prototypes


@cache
def _ascii_prototypes() -> Mapping[int, str]:
    """Those of characters of ASCII; none of them can be decomposed further."""
    return {
        ord(character): drawn for character, drawn in _prototypes().items() if character.isascii()
    }
