"""The words that output and reference share."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._plain import LEAVE_OUT, mean, simplify


class F1:
    """F1 of the words that output and reference share, in any order, as in SQuAD.

    F1 = 2 · P · R / (P + R), where P is the share of the output's words that the reference has and
    R the share of the reference's words that the output has; 1 if neither has any word. From 0
    to 1: the best of several references counts, then the mean over instances.

    Words are separated by white space. `ignore_case`, `ignore_punctuation` and `ignore_articles`
    (a, an, the) leave these out of account; with all three it is the F1 of SQuAD.
    """

    id: ClassVar[str] = "F1"
    averaged: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    defaults: ClassVar[dict[str, bool]] = LEAVE_OUT

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        plain = simplify(parameters)
        results = []
        for each in instances:
            words = plain(each.output).split()
            results.append(max(f1(words, plain(text).split()) for text in each.references))
        return {"score": {"f1": mean(results)}, "results": results}


def f1(words: Sequence[str], expected: Sequence[str]) -> float:
    """F1 of two bags of words, 0 to 1."""
    if not words or not expected:
        return float(not words and not expected)
    shared = (Counter(words) & Counter(expected)).total()
    return 2 * shared / (len(words) + len(expected))
