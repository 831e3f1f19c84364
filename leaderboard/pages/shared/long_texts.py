"""Long texts on a page: their start is shown, the rest is folded."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.languages.translation import count_text

SEEN = 200
SEEN_LINES = 6
LONGEST = 20_000
"""The most characters of one text on a page."""
JOINER = "\u200d"


class ShownText(NamedTuple):
    """A text to be shown. `rest` follows `start`, behind a fold; "" if the start is all of it.

    length: the length as text, for the fold. left_out: the size of the part that the page does not
    contain, as text.
    """

    start: str
    rest: str = ""
    length: str = ""
    left_out: str = ""


def folded(text: str) -> ShownText:
    """A text whose start has about 200 characters or six lines, cut between words if possible."""
    at = _cut(text)
    if at == len(text):
        return ShownText(text)
    more = len(text) - LONGEST
    return ShownText(
        start=text[:at],
        rest=text[at:LONGEST],
        length=_("{count} characters").format(count=count_text(len(text))),
        left_out=_more(more) if more > 0 else "",
    )


def _more(characters: int) -> str:
    return ngettext(
        "{count} more character is not shown",
        "{count} more characters are not shown",
        characters,
    ).format(count=count_text(characters))


def _cut(text: str) -> int:
    """The end of the start; a text that is hardly longer than its start is not folded."""
    lines = _end_of_lines(text)
    most = min(SEEN, lines)
    if len(text) <= most + SEEN // 10 and text.count("\n") <= SEEN_LINES:
        return len(text)
    if most == lines:
        return most
    space = max(text.rfind(space, most * 3 // 4, most) for space in " \n")
    return space + 1 if space > 0 else _between(text, most)


def _end_of_lines(text: str) -> int:
    """The end of the lines that are shown without unfolding."""
    at = -1
    for _line in range(SEEN_LINES):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at + 1


def _between(text: str, at: int) -> int:
    """The last place up to `at` that does not split a letter from its accents, or an emoji."""
    while at > 1 and _belongs_to_what_is_before(text, at):
        at -= 1
    return at


def _belongs_to_what_is_before(text: str, at: int) -> bool:
    is_mark = unicodedata.category(text[at]).startswith("M")
    return is_mark or JOINER in (text[at], text[at - 1])
