"""Takes markup off the cells of tables that were copied from papers, web pages and Markdown.

Two underscores are data (`owner__model`), except in a Markdown table, whose cells
`leaderboard.importers.tables.markdown` reads first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from leaderboard.rules.texts.names import name_key

CACHED: Final = 10_000
"""How many different short cells are cached."""
MAX_MARKED: Final = 300
"""Longer texts are not searched for markup."""

_SPACES: Final = re.compile(r"[\s\u00a0\u2007\u2009\u202f]+")
_BOLD: Final = re.compile(
    r"(?<![\w*])\*\*(?=[^\s*])([^*]+)(?<=\S)\*\*(?!\w)"
    r"|`([^`]+)`"
    r"|\\(?:textbf|underline|textit|mathbf|emph)\{([^{}]*)\}"
    r"|\$(?=\S)([^$]+)(?<=\S)\$(?!\d)"
)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_RAISED: Final = re.compile(r"<sup>\s*([^<>]{1,3}?)\s*</sup>", re.IGNORECASE)
_TAG: Final = re.compile(
    r"</?(?:a|abbr|b|big|br|center|code|del|div|em|font|i|img|ins|kbd|mark|p|q|s|small|span|strike"
    r"|strong|sub|sup|tt|u|wbr)\b[^<>]*>",
    re.IGNORECASE,
)
"""HTML that formats text; `<v2>` is a part of a name."""
_GUARDED: Final = re.compile(r"'\s*[=+\-@＝＋－＠]")
_DIGITS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

_MARKS: Final = re.compile(
    r"(?:\s*(?:[*†‡§¶‖]+"
    r"|\[\^[^\[\]\s]{1,10}\]|\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]"
    r"|\^?\{?\\(?:dagger|ddagger|ast|star|S)\}?|\^\{?[*†‡§¶]\}?|\^\{\d{1,2}\}|\^\{?[a-z]\}?"
    r"|[⁰¹²³⁴-⁹ᵃ-ᶻ]+))+$"
)
"""Marks of footnotes at the end of a name."""
_RAISED_DIGITS: Final = re.compile(r"[^\W\d_][⁰¹²³⁴-⁹]$")
"""A raised digit behind a letter, which may belong to the name: `TD³`."""


def plain(text: str) -> str:
    """A cell without markup (bold, links, tags) and with single spaces.

    The apostrophe before what a spreadsheet would take for a formula (`'=atlas`) goes as well.
    """
    return _plain(text) if len(text) <= MAX_MARKED else _SPACES.sub(" ", text).strip()


@lru_cache(maxsize=CACHED)
def _plain(text: str) -> str:
    if _GUARDED.match(text):
        text = text[1:]
    if not any(character in text for character in "*`\\[<$\n\t\u00a0\u202f\u2009 "):
        return text
    text = _RAISED.sub(lambda raised: raised[1].translate(_DIGITS), text)
    text = _TAG.sub(" ", _LINK.sub(r"\1", text))
    for _nested in range(3):
        text = _BOLD.sub(lambda marked: marked[marked.lastindex or 0], text)
    return _SPACES.sub(" ", text).strip()


def names_without_marks(names: Iterable[str]) -> dict[str, str]:
    """The names of a table that end with marks of footnotes, without them.

    A name keeps its mark if another name would then be the same (`GPT-4` and `GPT-4*`), if only a
    letter would be left (`A*`), or if it is a raised digit and no name has the first one (`TD³`).
    """
    distinct = dict.fromkeys(names)
    bare = {name: _MARKS.sub("", name).rstrip() for name in distinct if _MARKS.search(name)}
    has_first = any(name.endswith("¹") for name in bare)
    kept = {
        name
        for name, short in bare.items()
        if (len(short) < 2 and name.endswith("*"))
        or not short
        or (not has_first and _RAISED_DIGITS.search(name))
    }
    shortened = {name: short for name, short in bare.items() if name not in kept}
    count = Counter(name_key(shortened.get(name, name)) for name in distinct)
    return {name: short for name, short in shortened.items() if count[name_key(short)] == 1}
