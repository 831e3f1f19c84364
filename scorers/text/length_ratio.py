"""The length of the outputs compared to that of the references."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from scorers.protocol import Instance, Parameters, TextResult


class LengthRatio:
    """Words of the output for each word of the reference that is closest to it in length.

    length of the output / length of the reference, from 0 up: 1 is as long as expected.
    """

    id = "LENGTH_RATIO"
    averaged = True
    bounds = (0.0, None)
    defaults = {"characters": False}

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        size = len if parameters["characters"] else words
        results = [ratio(size(each.output), map(size, each.references)) for each in instances]
        return {"score": {"length_ratio": fmean(results)}, "results": results}


def words(text: str) -> int:
    return len(text.split())


def ratio(length: int, expected: Iterable[int]) -> float:
    return length / max(1, min(expected, key=lambda each: abs(each - length)))
