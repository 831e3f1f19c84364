"""`python -m leaderboard.sandbox try` for a text metric: evaluate instances as a worker would."""

from collections.abc import Sequence
from typing import Any, Final

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.documents import ACTUAL, EXPECTED, INSTANCES
from leaderboard.rules.rewards.instances import Instance
from leaderboard.sandbox.contract import Evaluated, Failure
from leaderboard.sandbox.host.sandbox import Sandbox
from leaderboard.sandbox.host.text_client import TextMetricClient
from leaderboard.schemas.documents import parse_document

_NAMES: Final = {"output": ACTUAL, "outputs": ACTUAL, "reference": EXPECTED, "references": EXPECTED}
"""The attributes of the instances that a text metric gets, and their fields in a document."""


def read_instances(value: Any) -> list[Instance]:
    """The instances of a HarpIA input document, or of a plain list; at least one has an output.

    Their fields may have the names of a document, or those that a metric sees. Raises ValueError.
    """
    document = {INSTANCES: value} if isinstance(value, list) else value
    if isinstance(document, dict) and isinstance(document.get(INSTANCES), list):
        document = {**document, INSTANCES: list(map(_renamed, document[INSTANCES]))}
    instances = parse_document(document).instances
    if not any(instance.outputs for instance in instances):
        raise ValueError(f"must have an instance with {ACTUAL} (or output, outputs); got none")
    return instances


def _renamed(row: Any) -> Any:
    if not isinstance(row, dict):
        return row
    return {key if _NAMES.get(key, key) in row else _NAMES[key]: row[key] for key in row}


def try_text_metric(
    sandbox: Sandbox,
    entrypoint: str,
    instances: Sequence[Instance],
    parameters: JsonObject,
    timeout_ms: int,
) -> tuple[JsonObject, Failure | None]:
    """The JSON object that the command prints, and the failure if there is one.

    Results and warnings are keyed by the instance's id. All instances are evaluated at once.
    """
    with sandbox.evaluating(entrypoint, parameters) as client:
        evaluated = client.evaluate([instance[:4] for instance in instances], timeout_ms=timeout_ms)
        score = _score(client, evaluated, timeout_ms)
    failure = next((result for result in (evaluated, score) if isinstance(result, Failure)), None)
    ids = [str(instance.id) for instance in instances]
    report: JsonObject = {
        "score": None if failure else score,
        "results": _by_id(ids, evaluated.results if isinstance(evaluated, Evaluated) else None),
        "warnings": _warnings(
            ids, evaluated.warnings if isinstance(evaluated, Evaluated) else None
        ),
        "error": failure and {"code": failure.code, "message": failure.message},
        "seconds": client.seconds,
        "output": client.printed,
    }
    return report, failure


def _score(client: TextMetricClient, evaluated: Evaluated | Failure, timeout_ms: int) -> Any:
    """The metric's score; with `combine` if the metric has it, as for a run of one block."""
    if isinstance(evaluated, Failure):
        return evaluated
    if evaluated.statistics is None:
        return evaluated.score
    combined = client.combine([evaluated.statistics], timeout_ms=timeout_ms)
    return combined if isinstance(combined, Failure) else evaluated.score | combined


def _by_id(ids: list[str], results: Sequence[object] | None) -> JsonObject | None:
    return None if results is None else dict(zip(ids, results, strict=True))


def _warnings(ids: list[str], warnings: Sequence[str | None] | None) -> dict[str, str]:
    return {id_: text for id_, text in zip(ids, warnings or [], strict=False) if text}
