"""The known name that a misspelt name probably means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MAX_LENGTH: Final = 80
"""Of a name that is compared letter by letter; longer ones are compared as a whole."""

_NUMBER: Final = re.compile(r"(?<=[@^])[1-9][0-9]{0,5}(?=:|$)")
_COUNTED: Final = re.compile(r"(.*?)[_.@^:-]?([0-9]*)")


def nearest(name: str, known_names: Iterable[str]) -> str | None:
    """The known name that is similar to `name`, or None.

    Similar names have the same letters and digits in another case or with other punctuation, or one
    wrong, missing, added or swapped character (two from 7 characters on, none below 4).
    `pass_rate_2` is not similar to `pass_rate`, because a number at the end is intended. A known
    `pass@K` stands for each number, so the answer for `pas@3` is `pass@3`. A known name is similar
    to no other.
    """
    names = list(dict.fromkeys(known_names))
    if name in names or len(name) > MAX_LENGTH:
        return None
    number = _NUMBER.search(name)
    family = _NUMBER.sub("K", name)
    if number and family in names:
        return None
    distances = ((_distance_to(candidate, name, family), candidate) for candidate in names)
    fitting = [(distance, candidate) for distance, candidate in distances if distance is not None]
    if not fitting:
        return None
    best = min(fitting)[1]
    return re.sub(r"(?<=[@^])K(?=:|$)", number[0], best) if number else best


def _distance_to(known_name: str, name: str, family: str) -> int | None:
    """The edit distance of `name` and `known_name`; None if `name` is too different."""
    if _bare(known_name) == _bare(name):
        return 0
    given = family if _NUMBER.sub("K", known_name) == known_name and family != name else name
    if _counted(known_name) != _counted(given):
        return None
    distance = edits(given.casefold(), known_name.casefold())
    return distance if distance <= _allowed(min(len(given), len(known_name))) else None


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def _counted(name: str) -> str:
    """The number at the end of a name."""
    match = _COUNTED.fullmatch(name)
    return match[2] if match else ""


def _allowed(length: int) -> int:
    if length < 4:
        return 0
    return 1 if length < 7 else 2


def edits(one: str, other: str) -> int:
    """The number of insertions, deletions, replacements and swaps of neighbours (Damerau 1964)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, start=1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                least = min(least, older[j - 2] + 1)
            row.append(least)
    return row[-1]
