"""What a comparison of letters and words may leave out of account."""

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

LEAVE_OUT = {"ignore_case": False, "ignore_punctuation": False, "ignore_articles": False}
"""The parameters, and their defaults: texts are compared as they are."""

_ARTICLE = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)


class _Kept(dict[int, int | None]):
    """A table for `str.translate` that drops punctuation and fills itself as characters come.

    Punctuation is ASCII's, as in SQuAD, and what Unicode calls so in any script.
    """

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        dropped = character in string.punctuation or unicodedata.category(character)[0] == "P"
        self[code] = None if dropped else code
        return self[code]


_KEPT = _Kept()


def simplify(parameters: dict[str, Any]) -> Callable[[str], str]:
    """What makes of a text what is compared: SQuAD's `normalize_answer`, step by step as asked for.

    Where something was taken out, runs of white space become one space and none is at the ends.
    """
    steps: list[Callable[[str], str]] = []
    if parameters["ignore_case"]:
        steps.append(str.lower)
    if parameters["ignore_punctuation"]:
        steps.append(lambda text: text.translate(_KEPT))
    if parameters["ignore_articles"]:
        steps.append(lambda text: _ARTICLE.sub(" ", text))
    if parameters["ignore_punctuation"] or parameters["ignore_articles"]:
        steps.append(lambda text: " ".join(text.split()))
    return _in_turn(steps)


def _in_turn(steps: Sequence[Callable[[str], str]]) -> Callable[[str], str]:
    def all_steps(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return all_steps if steps else str


def mean(results: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return fmean(results) if results else None
