"""What an evaluation ends in, with the names that HarpIA Lab gives: `output.json`, `log.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from leaderboard.rules.reductions import MetricError
from leaderboard.rules.text_scores import Result, Score

ELAPSED = "elapsed time"


class Ended(NamedTuple):
    """A text metric that has come to its end.

    given: as its document names it, with `id` and perhaps `parameters`. seconds: spent computing,
    over all instances.
    """

    given: Mapping[str, Any]
    score: Score | None
    seconds: float
    error: MetricError | None = None


def output_entry(ended: Ended) -> dict[str, Any]:
    """The object of a metric in the output document; one that failed has the reason."""
    entry = {**_named(ended), "score": ended.score, ELAPSED: round(ended.seconds, 6)}
    return entry if ended.error is None else entry | {"error": dict(ended.error)}


def log_lines(
    given: Mapping[str, Any],
    ids: Iterable[str | int],
    results: Sequence[Result],
    warnings: Sequence[str | None],
) -> Iterator[str]:
    """A line for each of some instances: what a metric made of it, null where it is undefined."""
    rest = _named(Ended(given, None, 0.0))
    for instance_id, result, warning in zip(ids, results, warnings, strict=True):
        line = {"instance_id": instance_id, **rest, "result": result}
        yield _line(line if warning is None else line | {"warning": warning})


def error_line(ended: Ended) -> str:
    """The only line of a metric that failed: it is of no instance."""
    return _line({"instance_id": None, **_named(ended), "result": None, "error": ended.error})


def _named(ended: Ended) -> dict[str, Any]:
    return {"id": ended.given["id"], "parameters": ended.given.get("parameters") or {}}


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
