"""The results of an evaluation in HarpIA Lab's form: `output.json`, `log.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, NotRequired, TypedDict

from leaderboard.rules.json.stored import GivenTextMetric
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.reductions import MetricError
from leaderboard.rules.rewards.text_scores import TextMetricScore, TextMetricValue

OutputEntry = TypedDict(
    "OutputEntry",
    {
        "id": str,
        "parameters": Mapping[str, object],
        "score": TextMetricScore | None,
        "elapsed time": float,
        "error": NotRequired[MetricError],
    },
)
"""The object of a metric in the output document."""


class Ended(NamedTuple):
    """A finished text metric.

    given: its entry in the document, with `id` and perhaps `parameters`. seconds: spent computing,
    over all instances.
    """

    given: GivenTextMetric
    score: TextMetricScore | None
    seconds: float
    error: MetricError | None = None


def output_entry(ended: Ended) -> OutputEntry:
    """The object of a metric in the output document; a failed metric has the reason."""
    entry: OutputEntry = {
        "id": ended.given["id"],
        "parameters": ended.given.get("parameters") or {},
        "score": ended.score,
        "elapsed time": round(ended.seconds, 6),
    }
    if ended.error is not None:
        entry["error"] = ended.error
    return entry


def log_lines(
    given: GivenTextMetric,
    ids: Iterable[str | int],
    results: Sequence[TextMetricValue],
    warnings: Sequence[str | None],
) -> Iterator[str]:
    """A line for each instance: the metric's result, null if it is undefined."""
    rest = _named(Ended(given, None, 0.0))
    for instance_id, result, warning in zip(ids, results, warnings, strict=True):
        line = {"instance_id": instance_id, **rest, "result": result}
        yield _line(line if warning is None else line | {"warning": warning})


def error_line(ended: Ended) -> str:
    """The only line of a failed metric, which belongs to no instance."""
    return _line({"instance_id": None, **_named(ended), "result": None, "error": ended.error})


def _named(ended: Ended) -> JsonObject:
    return {"id": ended.given["id"], "parameters": ended.given.get("parameters") or {}}


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
