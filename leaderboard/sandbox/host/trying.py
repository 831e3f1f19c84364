"""`python -m leaderboard.sandbox try` for a text metric: what a worker would make of instances."""

from collections.abc import Sequence
from typing import Any

from leaderboard.rules.documents import INSTANCES, parse_document
from leaderboard.rules.instances import Instance
from leaderboard.sandbox.contract import Evaluated, Failure
from leaderboard.sandbox.host.sandbox import Sandbox
from leaderboard.sandbox.host.text_client import TextMetricClient


def read_instances(value: Any) -> list[Instance]:
    """The instances of a HarpIA input document, or of a list of them alone. Raises ValueError."""
    return parse_document({INSTANCES: value} if isinstance(value, list) else value).instances


def try_text_metric(
    sandbox: Sandbox,
    entrypoint: str,
    instances: Sequence[Instance],
    parameters: dict[str, Any],
    timeout_ms: int,
) -> tuple[dict[str, Any], Failure | None]:
    """What the command prints, and the failure if there is one.

    Results and warnings are by the instance's id. All instances are evaluated at once.
    """
    with sandbox.evaluating(entrypoint, parameters) as line:
        found = line.evaluate([each[:4] for each in instances], timeout_ms=timeout_ms)
        score = _score(line, found, timeout_ms)
    failure = next((each for each in (found, score) if isinstance(each, Failure)), None)
    ids = [str(each.id) for each in instances]
    said = {
        "score": None if failure else score,
        "results": _by_id(ids, found.results if isinstance(found, Evaluated) else None),
        "warnings": _warnings(ids, found.warnings if isinstance(found, Evaluated) else None),
        "error": failure and {"code": failure.code, "message": failure.message},
        "seconds": line.seconds,
        "output": line.printed,
    }
    return said, failure


def _score(line: TextMetricClient, found: Evaluated | Failure, timeout_ms: int) -> Any:
    """The metric's own, or what `combine` makes of it, as for the only block of a run."""
    if isinstance(found, Failure):
        return found
    if found.statistics is None:
        return found.score
    combined = line.combine([found.statistics], timeout_ms=timeout_ms)
    return combined if isinstance(combined, Failure) else found.score | combined


def _by_id(ids: list[str], results: Sequence[Any] | None) -> dict[str, Any] | None:
    return None if results is None else dict(zip(ids, results, strict=True))


def _warnings(ids: list[str], warnings: Sequence[str | None] | None) -> dict[str, str]:
    return {each: text for each, text in zip(ids, warnings or [], strict=False) if text}
