"""Instances for text metrics, and functions that evaluate them at once or in blocks as the host
does."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

from hypothesis import strategies as st

from leaderboard.sandbox.child.configs import check, fill


class Said(NamedTuple):
    """An instance."""

    output: str
    references: Sequence[str]
    id: str = "1"
    input: str = ""


def case(output: str, *references: str) -> Said:
    return Said(output, references)


def evaluate(metric: type[Any], instances: Sequence[Said], **parameters: Any) -> dict[str, Any]:
    """Return the metric's result, with parameters completed as by the host."""
    outcome: dict[str, Any] = metric().evaluate(instances, fill(metric, parameters))
    return outcome


def score_in_blocks(
    metric: type[Any], instances: Sequence[Said], cuts: Sequence[int], **parameters: Any
) -> dict[str, Any]:
    """Return the score of all instances, combined from blocks that end at `cuts`."""
    ends = sorted({0, *cuts, len(instances)})
    blocks = [instances[start:end] for start, end in pairwise(ends)]
    evaluations = [evaluate(metric, block, **parameters) for block in blocks]
    if getattr(metric, "averaged", False):
        return dict(_means(evaluations))
    statistics = json.loads(
        json.dumps([evaluation["statistics"] for evaluation in evaluations], allow_nan=False)
    )
    score: dict[str, Any] = metric().combine(statistics, fill(metric, parameters))
    return score


def _means(evaluations: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float | None]]:
    first = next(iter(evaluations[0]["score"]))
    results = [
        result if isinstance(result, dict) else {first: result}
        for evaluation in evaluations
        for result in evaluation["results"]
    ]
    for name in evaluations[0]["score"]:
        defined = [result[name] for result in results if result.get(name) is not None]
        yield name, fmean(defined) if defined else None


def assert_wrong(metric: type[Any], parameters: dict[str, Any], field: str, words: str) -> None:
    """Check that parameters are refused because of one field, for a reason with these words."""
    errors, _ = check(metric, parameters)
    assert list(errors) == [field], parameters
    assert words in errors[field][0]


texts = st.lists(
    st.sampled_from(["a", "b", "c", "the", "The", "cat.", "gato", "está", "猫", "،", "\n", "12"]),
    max_size=9,
).map(" ".join)
"""Short texts that often share words."""
instances = st.builds(Said, texts, st.lists(texts, min_size=1, max_size=3))
