"""Values that participants report for metrics that are computed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from leaderboard.rules.rewards.intervals import Estimate
from leaderboard.rules.rewards.reductions import MetricValue, value_of
from leaderboard.rules.texts.value_names import Reported


def with_reported(
    computed: Mapping[str, MetricValue],
    reported: Mapping[str, float],
    rule_of: Callable[[str], Reported],
) -> dict[str, MetricValue]:
    """The metric values, with reported ones where there is no evidence for them.

    If both exist, the computed value counts and keeps the reported one as its `reported`.
    """
    values = dict(computed)
    for key, number in reported.items():
        rule = rule_of(key)
        if rule == "refuse":
            continue
        value = values.get(key)
        if value is None or _says_nothing(value):
            values[key] = _from_reported(number, rule)
        else:
            values[key] = {**value, "reported": number}
    return values


def _says_nothing(value: MetricValue) -> bool:
    """Whether the evidence has nothing for a metric: no task, no failure, no error."""
    return not value["defined"] and not value["failed"] and value["error"] is None


def _from_reported(number: float, rule: Reported) -> MetricValue:
    value = value_of(Estimate(number, 0), 0, 0, None)
    value["level"] = "reported"
    if rule == "allow":
        value["not_ranked"] = "reported"
    return value
