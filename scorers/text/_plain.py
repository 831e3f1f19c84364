"""Simplifies texts before they are compared: case, punctuation and articles may be ignored."""

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from statistics import fmean

from scorers.protocol import Parameters

SIMPLIFICATIONS = {"ignore_case": False, "ignore_punctuation": False, "ignore_articles": False}
"""The parameters with their defaults; with these, texts are compared as they are."""

_ARTICLE = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)


class _WithoutPunctuation(dict[int, int | None]):
    """A table for `str.translate` that drops punctuation; it is filled as characters are met.

    Punctuation is that of ASCII, as in SQuAD, and Unicode's of any script.
    """

    def __missing__(self, code: int) -> int | None:
        character = chr(code)
        dropped = character in string.punctuation or unicodedata.category(character)[0] == "P"
        self[code] = None if dropped else code
        return self[code]


_WITHOUT_PUNCTUATION = _WithoutPunctuation()


def simplify(parameters: Parameters) -> Callable[[str], str]:
    """A function that simplifies a text: the steps of SQuAD's `normalize_answer` that are selected.

    If punctuation or articles are ignored, each run of white space becomes one space, and white
    space at the ends is removed.
    """
    steps: list[Callable[[str], str]] = []
    if parameters["ignore_case"]:
        steps.append(str.lower)
    if parameters["ignore_punctuation"]:
        steps.append(lambda text: text.translate(_WITHOUT_PUNCTUATION))
    if parameters["ignore_articles"]:
        steps.append(lambda text: _ARTICLE.sub(" ", text))
    if parameters["ignore_punctuation"] or parameters["ignore_articles"]:
        steps.append(lambda text: " ".join(text.split()))
    return _chained(steps)


def _chained(steps: Sequence[Callable[[str], str]]) -> Callable[[str], str]:
    def all_steps(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return all_steps if steps else str


def mean(results: Sequence[float]) -> float | None:
    """The mean; None if there are no results."""
    return fmean(results) if results else None
