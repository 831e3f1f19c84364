"""Validates a child's answers about a text metric. The child is not trusted."""

from typing import Any

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.results import InvalidResult
from leaderboard.rules.plugins.text_results import (
    check_results,
    check_score,
    check_statistics,
    clean_text,
)
from leaderboard.rules.rewards.text_scores import TextMetricScore
from leaderboard.sandbox.contract import Evaluated, Failure
from leaderboard.sandbox.host.outcomes import NoAnswer, failure_from, number_of


def evaluated(reply: Any, count: int) -> Evaluated | Failure:
    """The child's answer to `evaluate` for `count` instances. Raises NoAnswer."""
    match reply:
        case {"failure": failure}:
            return failure_from(failure)
        case {
            "score": dict() as score,
            "results": list() | None as results,
            "warnings": list() | None as warnings,
            "statistics": statistics,
            "seconds": seconds,
            "instances": int(instances),
            "failed": int(failed),
        } if 0 <= instances <= count and 0 <= failed <= count:
            return Evaluated(
                _results(results, count),
                _warnings(warnings, count),
                _score(score),
                _statistics(statistics),
                _seconds(seconds),
                int(instances),
                int(failed),
            )
    raise NoAnswer("not the answer of a text metric")


def combined(reply: Any) -> tuple[TextMetricScore, float] | Failure:
    """The child's answer to `combine`: the score and the seconds spent. Raises NoAnswer."""
    match reply:
        case {"failure": failure}:
            return failure_from(failure)
        case {"score": dict() as score, "seconds": seconds}:
            return _score(score), _seconds(seconds)
    raise NoAnswer("not the answer of a text metric")


def _results(results: list[Any] | None, count: int) -> Any:
    try:
        return check_results(results, count)
    except InvalidResult as error:
        raise NoAnswer(str(error)) from None


def _warnings(warnings: list[Any] | None, count: int) -> list[str | None] | None:
    if warnings is None:
        return None
    if len(warnings) != count:
        raise NoAnswer("not a warning for each instance")
    return [None if warning is None else clean_text(str(warning)) for warning in warnings]


def _score(score: JsonObject) -> TextMetricScore:
    """The score, checked; {} if the metric was not called."""
    try:
        return check_score(score) if score else {}
    except InvalidResult as error:
        raise NoAnswer(str(error)) from None


def _statistics(statistics: Any) -> Any:
    try:
        return check_statistics(statistics)
    except InvalidResult as error:
        raise NoAnswer(str(error)) from None


def _seconds(value: object) -> float:
    return max(0.0, number_of(value) or 0.0)
