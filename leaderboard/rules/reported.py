"""Values that participants state for metrics that are computed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from leaderboard.rules.intervals import Estimate
from leaderboard.rules.reductions import MetricValue, value_of
from leaderboard.rules.spec_names import Reported


def with_reported(
    computed: Mapping[str, MetricValue],
    stated: Mapping[str, float],
    rule_of: Callable[[str], Reported],
) -> dict[str, MetricValue]:
    """Metric values, and those that are stated where there is no evidence for them.

    Where both are there the computed one holds, with the stated one as its `reported`.
    """
    values = dict(computed)
    for key, number in stated.items():
        rule = rule_of(key)
        if rule == "refuse":
            continue
        found = values.get(key)
        if found is None or _says_nothing(found):
            values[key] = _stated(number, rule)
        else:
            values[key] = {**found, "reported": number}
    return values


def _says_nothing(value: MetricValue) -> bool:
    """Whether the evidence has nothing for a metric: no task, no failure, no error."""
    return not value["defined"] and not value["failed"] and value["error"] is None


def _stated(number: float, rule: Reported) -> MetricValue:
    value = value_of(Estimate(number, 0), 0, 0, None)
    value["level"] = "reported"
    if rule == "allow":
        value["not_ranked"] = "reported"
    return value
