"""The length of the outputs compared to that of the references."""

from collections.abc import Iterable, Sequence

from scorers.protocol import Instance, Parameters, TextResult
from scorers.text._plain import mean
from scorers.text._unspaced import warnings_of

WARNING = "Texts without spaces between words count as one word each; set characters to true."


class LengthRatio:
    """Words of the output for each word of the reference that is closest to it in length.

    length of the output / length of the reference, from 0 up: 1 is as long as expected.

    An empty output for an empty reference is as long as expected; any other one has no ratio to
    it. Texts in scripts without spaces between words (Chinese, Japanese, Thai) count as one word
    each, of which the log warns; with `characters` characters are counted.
    """

    id = "LENGTH_RATIO"
    averaged = True
    bounds = (0.0, None)
    defaults = {"characters": False}

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        size = len if parameters["characters"] else words
        results = [
            ratio(size(instance.output), map(size, instance.references)) for instance in instances
        ]
        defined = [result for result in results if result is not None]
        warnings = {} if parameters["characters"] else warnings_of(instances, WARNING)
        return {
            "score": {"length_ratio": mean(defined)},
            "results": results,
            "warnings": warnings,
        }


def words(text: str) -> int:
    return len(text.split())


def ratio(length: int, expected: Iterable[int]) -> float | None:
    """The ratio to the closest length that is expected; None if only emptiness is."""
    lengths = list(expected)
    if length == 0 and 0 in lengths:
        return 1.0
    closest = min(filter(None, lengths), key=lambda allowed: abs(allowed - length), default=None)
    return None if closest is None else length / closest
