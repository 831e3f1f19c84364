"""Long texts on a page: their start is seen, the rest is folded."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

SEEN = 200
SEEN_LINES = 6
LONGEST = 20_000
"""Characters of one text that a page holds at most."""
JOINER = "\u200d"


class ShownText(NamedTuple):
    """A text to be shown. `rest` follows `start`, behind a fold; "" when the start is all of it.

    length: in words, for the fold. left_out: what the page does not hold of it, in words.
    """

    start: str
    rest: str = ""
    length: str = ""
    left_out: str = ""


def folded(text: str) -> ShownText:
    """About 200 characters or six lines of a text, cut between words where there are any."""
    at = _cut(text)
    if at == len(text):
        return ShownText(text)
    more = len(text) - LONGEST
    return ShownText(
        start=text[:at],
        rest=text[at:LONGEST],
        length=f"{len(text):,} characters",
        left_out=f"{more:,} more characters are not shown" if more > 0 else "",
    )


def _cut(text: str) -> int:
    """Where the start ends; a text that is hardly longer than its start is not folded."""
    lines = _end_of_lines(text)
    most = min(SEEN, lines)
    if len(text) <= most + SEEN // 10 and text.count("\n") <= SEEN_LINES:
        return len(text)
    if most == lines:
        return most
    space = max(text.rfind(space, most * 3 // 4, most) for space in " \n")
    return space + 1 if space > 0 else _between(text, most)


def _end_of_lines(text: str) -> int:
    """Where the lines end that are seen at once."""
    at = -1
    for _ in range(SEEN_LINES):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at + 1


def _between(text: str, at: int) -> int:
    """The last place up to `at` where no accent or emoji is torn from what it belongs to."""
    while at > 1 and _belongs_to_what_is_before(text, at):
        at -= 1
    return at


def _belongs_to_what_is_before(text: str, at: int) -> bool:
    is_mark = unicodedata.category(text[at]).startswith("M")
    return is_mark or JOINER in (text[at], text[at - 1])
