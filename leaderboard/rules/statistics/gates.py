"""Whether a candidate is good enough beside a baseline, as far as their shared tasks can tell."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from leaderboard.rules.sortkey import PRECISION, Direction
from leaderboard.rules.statistics.comparisons import Comparison
from leaderboard.rules.statistics.pairwise import MIN_SHARED
from leaderboard.rules.statistics.probabilities import LEVEL
from leaderboard.rules.texts.messages import Message, message

Requirement = Literal["not-worse", "non-inferior", "better"]
REQUIREMENTS: Final[tuple[Requirement, ...]] = ("not-worse", "non-inferior", "better")
GateState = Literal["pass", "fail", "unclear"]


class GateVerdict(NamedTuple):
    """A verdict and its reason. `unclear`: the tasks cannot tell."""

    state: GateState
    reason: Message


def gate_verdict(
    comparison: Comparison,
    direction: Direction,
    *,
    require: Requirement,
    margin: float | None,
    is_same: bool,
    smallest: float | None,
) -> GateVerdict:
    """The verdict about the first of two entries.

    require: `not-worse` fails if the first is certainly worse, at the 5 % level: of candidates that
    are as good as the baseline, 2.5 % fail. `non-inferior` passes if the 95 % interval of the
    difference excludes that the first is worse by more than `margin`, in the unit of the values.
    `better` passes if it is certainly better. is_same: whether no shared task has different values.
    smallest: the smallest difference that the tasks can show; if it exceeds the margin, nothing
    passes. Raises ValueError for `non-inferior` without a margin.
    """
    if require == "non-inferior" and margin is None:
        raise ValueError("margin: non-inferior needs one; got none")
    if not comparison.shared:
        return GateVerdict("unclear", message("They share no task."))
    if is_same:
        state: GateState = "fail" if require == "better" else "pass"
        return GateVerdict(state, message("They have the same value on every shared task."))
    if comparison.p is None or comparison.difference is None:
        text = message(
            "{count} shared tasks are too few to tell: at least {least} are needed.",
            count=comparison.shared,
            least=MIN_SHARED,
        )
        return GateVerdict("unclear", text)
    sign = -1.0 if direction == "asc" else 1.0
    is_certain = round(comparison.p, PRECISION) < LEVEL
    lead = sign * comparison.difference if is_certain else 0.0
    if require == "better":
        return _better(lead)
    if require == "not-worse" and lead < 0.0:
        return GateVerdict("fail", message("It is certainly worse."))
    if margin is not None and smallest is not None and smallest > margin:
        text = message(
            "These tasks can show no difference below {smallest}, which is more than the margin.",
            smallest=f"{smallest:.3g}",
        )
        return GateVerdict("unclear", text)
    if require == "not-worse":
        return GateVerdict("pass", message("It is not certainly worse."))
    return _non_inferior(comparison, sign, margin or 0.0)


def _better(lead: float) -> GateVerdict:
    """The verdict for `better`. lead: 0 unless it is certain."""
    if lead > 0.0:
        return GateVerdict("pass", message("It is certainly better."))
    if lead < 0.0:
        return GateVerdict("fail", message("It is certainly worse."))
    return GateVerdict("unclear", message("It is not certainly better, nor certainly worse."))


def _non_inferior(comparison: Comparison, sign: float, margin: float) -> GateVerdict:
    """The verdict by the interval of the lead; without one, by the lead itself."""
    lead = sign * (comparison.difference or 0.0)
    low, high = sorted(sign * end for end in comparison.interval or (sign * lead, sign * lead))
    if low >= -margin:
        return GateVerdict("pass", message("It is not worse by more than the margin."))
    if high < -margin:
        return GateVerdict("fail", message("It is certainly worse by more than the margin."))
    return GateVerdict("unclear", message("It may be worse by more than the margin."))
