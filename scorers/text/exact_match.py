"""Whether the output equals one of its references."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._plain import SIMPLIFICATIONS, mean, simplify
from scorers.text._unspaced import has_unspaced, without_spaces

WARNING = "The output differs from a reference only in white space or in the width of characters."


class ExactMatch:
    """Share of outputs that are one of their references, letter for letter.

    1 for an instance whose output equals any of its references, else 0; the score is the mean.

    `ignore_case`, `ignore_punctuation` and `ignore_articles` (a, an, the) leave these out of
    account; with all three it is the exact match of SQuAD.

    The log warns of texts in scripts without spaces between words (Chinese, Japanese, Thai) that
    differ only in spaces or in the width of characters.
    """

    id: ClassVar[str] = "EXACT_MATCH"
    averaged: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    defaults: ClassVar[dict[str, bool]] = SIMPLIFICATIONS

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        plain = simplify(parameters)
        results = [
            float(plain(instance.output) in map(plain, instance.references))
            for instance in instances
        ]
        warnings = {
            at: WARNING
            for at, (row, result) in enumerate(zip(instances, results, strict=True))
            if not result and _is_nearly_equal(plain(row.output), map(plain, row.references))
        }
        return {"score": {"exact_match": mean(results)}, "results": results, "warnings": warnings}


def _is_nearly_equal(output: str, references: Iterable[str]) -> bool:
    """Whether the output is a reference but for what means nothing in its script."""
    if output.isascii():
        return False
    return any(
        without_spaces(output) == without_spaces(text) and has_unspaced(without_spaces(text))
        for text in references
    )
