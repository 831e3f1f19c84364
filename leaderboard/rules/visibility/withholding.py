"""Rounds numbers, so that small differences do not reveal withheld references."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from leaderboard.rules.rewards.cells import BoardCell
from leaderboard.rules.rewards.judged_means import rounded_mean
from leaderboard.rules.rewards.reductions import MetricError, MetricValue
from leaderboard.rules.rewards.text_scores import TextMetricScore
from leaderboard.rules.texts.messages import message

NO_MESSAGE: Final = message(
    "The organisers do not show this message, because it may contain exact values."
)


class Withholding(NamedTuple):
    """The settings of a phase against guessing references.

    decimals: to how many digits after the point scores are rounded; None: exact. scores_delayed:
    scores are hidden until the phase has ended. least_coverage: the share of the tasks below which
    the score of an attempt is hidden. least_improvement: by how much an attempt has to improve the
    score that counts, otherwise its own is hidden; None: any improvement counts.
    """

    decimals: int | None = None
    scores_delayed: bool = False
    least_coverage: float | None = None
    least_improvement: float | None = None

    @property
    def hides_something(self) -> bool:
        return self != Withholding()

    @property
    def shown_decimals(self) -> int | None:
        """To how many digits scores are shown and compared; None: exact."""
        return decimals_shown(self.decimals, self.least_improvement)


def decimals_shown(decimals: int | None, least_improvement: float | None) -> int | None:
    """To how many digits scores are rounded: not to more than a least improvement has.

    Further digits would tell more than whether the score has improved by so much.
    """
    if least_improvement is None:
        return decimals
    implied = max(0, math.ceil(-math.log10(least_improvement) - 1e-9))
    return implied if decimals is None else min(decimals, implied)


def rounded(number: float, decimals: int) -> float:
    """A number with at most `decimals` digits after the point; never -0.0."""
    return round(number, decimals) + 0.0


def rounded_value(value: MetricValue, decimals: int) -> MetricValue:
    """A metric value whose number is rounded.

    The standard error and the interval are left out, because they would narrow the number down.
    """
    result: MetricValue = {
        **value,
        "value": None if value["value"] is None else rounded(value["value"], decimals),
        "standard_error": None,
        "interval": None,
        "method": "",
        "interval_reason": None,
        "error": value["error"] and _code_only(value["error"]),
    }
    if "reported" in value:
        result["reported"] = rounded(value["reported"], decimals)
    if "judged" in value:
        result["judged"] = rounded_mean(value["judged"], decimals)
    return result


def rounded_cell(cell: BoardCell, decimals: int) -> BoardCell:
    """The cell of a value that is rounded, without what would narrow it down."""
    result = cell.copy()
    result.pop("standard_error", None)
    result.pop("interval", None)
    result.pop("interval_reason", None)
    if "reported" in cell:
        result["reported"] = rounded(cell["reported"], decimals)
    if "judged" in cell:
        result["judged"] = rounded_mean(cell["judged"], decimals)
    if "error" in cell:
        result["error"] = _code_only(cell["error"])
    return result


def withheld_cell(cell: BoardCell) -> BoardCell:
    """The cell of a value that is not shown: only over how many tasks it is."""
    return {"defined": cell["defined"], "total": cell["total"], "reason": "withheld"}


def rounded_score(score: Mapping[str, float | str | None], decimals: int) -> TextMetricScore:
    """The score of a text metric with rounded numbers and empty texts, which may contain others."""
    return {name: _rounded_part(part, decimals) for name, part in score.items()}


def _rounded_part(part: float | str | None, decimals: int) -> float | str | None:
    if part is None or isinstance(part, str):
        return None if part is None else ""
    return rounded(part, decimals)


def _code_only(error: MetricError) -> MetricError:
    return {"code": error["code"], "message": NO_MESSAGE}
