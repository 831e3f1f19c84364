"""Whether the output equals one of its references."""

from collections.abc import Sequence
from typing import ClassVar

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._plain import LEAVE_OUT, mean, simplify


class ExactMatch:
    """Share of outputs that are one of their references, letter for letter.

    1 for an instance whose output equals any of its references, else 0; the score is the mean.

    `ignore_case`, `ignore_punctuation` and `ignore_articles` (a, an, the) leave these out of
    account; with all three it is the exact match of SQuAD.
    """

    id: ClassVar[str] = "EXACT_MATCH"
    averaged: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    defaults: ClassVar[dict[str, bool]] = LEAVE_OUT

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        plain = simplify(parameters)
        results = [float(plain(each.output) in map(plain, each.references)) for each in instances]
        return {"score": {"exact_match": mean(results)}, "results": results}
