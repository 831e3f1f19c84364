"""What a board keeps of a metric value beside its number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

from leaderboard.rules.intervals import IntervalReason
from leaderboard.rules.reductions import MetricError, MetricValue

Reason = Literal["undefined", "failed", "not_run", "not_installed"]


class BoardCell(TypedDict):
    """What a metric's value is over, how sure it is, or why it is not there.

    defined, total: tasks. failed: samples, absent for none. Of a text metric these are instances.
    An `error` is the metric's own.
    """

    defined: int
    total: int
    failed: NotRequired[int]
    standard_error: NotRequired[float]
    interval: NotRequired[list[float]]
    interval_reason: NotRequired[IntervalReason]
    reason: NotRequired[Reason]
    error: NotRequired[MetricError]


def board_cell(value: MetricValue) -> BoardCell:
    """The cell of a metric value. Every value that is not there has a reason."""
    cell: BoardCell = {"defined": value["defined"], "total": value["total"]}
    if value["failed"]:
        cell["failed"] = value["failed"]
    if value["standard_error"] is not None:
        cell["standard_error"] = value["standard_error"]
    if value["interval"] is not None:
        cell["interval"] = value["interval"]
    elif why := value.get("interval_reason"):
        cell["interval_reason"] = why
    if value["error"] is not None:
        cell["error"] = value["error"]
        cell["reason"] = "not_installed" if value["error"]["code"] == "not_installed" else "failed"
    elif value["reason"] is not None:
        cell["reason"] = value["reason"]
    return cell


def margin(interval: Sequence[float]) -> float:
    """Half of an interval, what stands behind ±."""
    return (interval[1] - interval[0]) / 2


def coverage(keys: Iterable[str], values: Mapping[str, MetricValue]) -> float:
    """The share of the tasks that an attempt's value is over, 0 to 1.

    That of the first of the ranked `keys` that is a metric; where none is, the least of all
    metrics. 0 for an attempt without metric values.
    """
    shares = {key: value["defined"] / (value["total"] or 1) for key, value in values.items()}
    ranked = next((shares[key] for key in keys if key in shares), None)
    return min(shares.values(), default=0.0) if ranked is None else ranked
