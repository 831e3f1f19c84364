"""The words that output and reference share."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._plain import SIMPLIFICATIONS, mean, simplify
from scorers.text._unspaced import warnings_of, words_and_characters

WARNING = "Texts without spaces between words count as one word each; set characters to true."


class F1:
    """F1 of the words that output and reference share, in any order, as in SQuAD.

    F1 = 2 · P · R / (P + R), where P is the share of the output's words that the reference has and
    R the share of the reference's words that the output has; 1 if neither has any word. From 0
    to 1: the best of several references counts, then the mean over instances.

    Words are separated by white space. `ignore_case`, `ignore_punctuation` and `ignore_articles`
    (a, an, the) leave these out of account; with all three it is the F1 of SQuAD.

    Chinese, Japanese, Thai and other scripts have no spaces between words; with `characters` their
    characters count one by one. Without it the log warns of such texts.
    """

    id: ClassVar[str] = "F1"
    averaged: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    defaults: ClassVar[dict[str, bool]] = {**SIMPLIFICATIONS, "characters": False}

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        plain = simplify(parameters)
        split = words_and_characters if parameters["characters"] else str.split
        results = []
        for instance in instances:
            words = split(plain(instance.output))
            results.append(max(f1(words, split(plain(text))) for text in instance.references))
        warnings = {} if parameters["characters"] else warnings_of(instances, WARNING)
        return {"score": {"f1": mean(results)}, "results": results, "warnings": warnings}


def f1(words: Sequence[str], expected: Sequence[str]) -> float:
    """F1 of two bags of words, 0 to 1."""
    if not words or not expected:
        return float(not words and not expected)
    shared = (Counter(words) & Counter(expected)).total()
    return 2 * shared / (len(words) + len(expected))
