"""What a board stores of a metric value besides its number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from leaderboard.rules.rewards.intervals import IntervalReason
from leaderboard.rules.rewards.judged_means import JudgedMean
from leaderboard.rules.rewards.reductions import Level, MetricError, MetricValue, NotRanked

Reason = Literal["undefined", "failed", "not_run", "not_installed", "not_compared", "withheld"]


class BoardCell(TypedDict):
    """The coverage and the interval of a metric's value, or the reason why there is none.

    defined, total: tasks. failed: samples, absent for none. For a text metric these are instances,
    for a mean win rate the values that are compared.
    level, reported, not_ranked, few_samples, judged: as in a `MetricValue`. error: the metric's own
    error.
    """

    defined: int
    total: int
    level: NotRequired[Level]
    reported: NotRequired[float]
    not_ranked: NotRequired[NotRanked]
    few_samples: NotRequired[list[int]]
    failed: NotRequired[int]
    standard_error: NotRequired[float]
    interval: NotRequired[list[float]]
    interval_reason: NotRequired[IntervalReason]
    reason: NotRequired[Reason]
    error: NotRequired[MetricError]
    judged: NotRequired[JudgedMean]


def board_cell(value: MetricValue) -> BoardCell:
    """The cell of a metric value. Every missing value has a reason."""
    cell: BoardCell = {"defined": value["defined"], "total": value["total"]}
    if "level" in value:
        cell["level"] = value["level"]
    if "reported" in value:
        cell["reported"] = value["reported"]
    if "not_ranked" in value:
        cell["not_ranked"] = value["not_ranked"]
    if "few_samples" in value:
        cell["few_samples"] = value["few_samples"]
    if "judged" in value:
        cell["judged"] = value["judged"]
    if value["failed"]:
        cell["failed"] = value["failed"]
    _tell_how_sure(cell, value)
    if value["error"] is not None:
        cell["error"] = value["error"]
        cell["reason"] = "not_installed" if value["error"]["code"] == "not_installed" else "failed"
    elif value["reason"] is not None:
        cell["reason"] = value["reason"]
    elif board_number(value) is None:
        cell["reason"] = "not_run"
    return cell


def _tell_how_sure(cell: BoardCell, value: MetricValue) -> None:
    if value["standard_error"] is not None:
        cell["standard_error"] = value["standard_error"]
    if value["interval"] is not None:
        cell["interval"] = value["interval"]
    elif why := value.get("interval_reason"):
        cell["interval_reason"] = why


def margin(interval: Sequence[float]) -> float:
    """Half of an interval, the number after ±."""
    return (interval[1] - interval[0]) / 2


def is_even(value: float, interval: Sequence[float], decimals: int) -> bool:
    """Whether an interval reaches as far below a value as above it, to so many decimals."""
    low, high = interval
    return abs((high - value) - (value - low)) < 10.0**-decimals


def board_number(value: MetricValue) -> float | None:
    """The number that a board shows; None for a value that is computed over no task.

    EvSys' metrics are 0.0 over no task; this stays in the attempt but is no result.
    """
    return value["value"] if value["defined"] or is_reported(value) else None


def ranked_number(value: MetricValue) -> float | None:
    """The number that ranks; None for a value that is shown but does not rank."""
    return None if "not_ranked" in value else board_number(value)


def is_reported(value: MetricValue | BoardCell) -> bool:
    return value.get("level") == "reported"


def coverage(keys: Iterable[str], values: Mapping[str, MetricValue | BoardCell]) -> float:
    """The share of the tasks that an attempt's value covers, 0 to 1.

    It is that of the first of the ranked `keys` that is a metric, or 1 if that value is only
    reported. If none is a metric, it is the smallest of all computed values. An attempt without
    metric values has 0.
    """
    ranked = next((values[key] for key in keys if key in values), None)
    if ranked is not None:
        return _share(ranked)
    return min((_share(value) for value in values.values() if not is_reported(value)), default=0.0)


def _share(value: MetricValue | BoardCell) -> float:
    return 1.0 if is_reported(value) else value["defined"] / (value["total"] or 1)
