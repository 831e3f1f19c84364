"""The metric values in an inspect-ai log, and the metrics here that should equal them.

Its metrics are over samples whose epochs were reduced first, without those that failed or were
not scored. So a mean of means is our `mean_reward` without failed samples, and a mean of the
reducers `pass_at_K` and `pass_k_K` is our `pass@K:unbiased` and `pass^K:unbiased`; its standard
error, over the samples, is ours over tasks.
"""

from __future__ import annotations

import re
from typing import Final

from leaderboard.importers.reading.harness import StatedValues
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.reported_numbers import ReportedNumbers
from leaderboard.importers.reading.samples import spec
from leaderboard.importers.reading.suggestions import SuggestedMetric

MEANS: Final = ("accuracy", "mean")
ERRORS: Final = ("stderr",)
SPREADS: Final = ("stderr", "std", "var", "ci_")
"""Parts of the names of metrics that say how uncertain another one is."""
REDUCERS: Final = ("", "mean")

_PASSES = re.compile(r"pass_(?P<kind>at|k)_(?P<k>[1-9]\d{0,3})")
_KINDS: Final = {"at": "pass@", "k": "pass^"}


def file_metrics_of(scores: JsonValue) -> StatedValues:
    """The metric values of a log; metrics that Podium lacks are called `scorer/metric`."""
    stated = StatedValues()
    for score in scores.items():
        name, scorer = score["name"].words(), score["scorer"].words()
        reward = name if name == scorer else f"{scorer}.{name}"
        for metric, part in score["metrics"].fields():
            # A metric over nothing is NaN, and some give whole objects.
            if (value := part["value"].finite()) is not None:
                _add(stated, reward, score["reducer"].words(), metric, part["params"], value)
    return stated


def reported_values(scores: JsonValue) -> dict[str, float]:
    """The values of a log without samples, `scorer.metric`, without their standard errors."""
    numbers = ReportedNumbers("inspect-ai")
    for score in scores.items():
        name, scorer = score["name"].words(), score["scorer"].words()
        reward = name if name == scorer or not scorer else f"{scorer}.{name}"
        for metric, part in score["metrics"].fields():
            kind, value = metric.rpartition("/")[2], part["value"].finite()
            if value is not None and not any(spread in kind for spread in SPREADS):
                parts = (reward, score["reducer"].words(), kind)
                numbers.add(".".join(part_name for part_name in parts if part_name), value)
    return numbers.values


def _add(
    stated: StatedValues,
    reward: str,
    reducer: str,
    metric: str,
    params: JsonValue,
    value: float,
) -> None:
    """Add a value, unless there is one of this name."""
    kind, one = metric.rpartition("/")[2], _reduced(reward, reducer)
    key = f"{reward}/{reducer}/{metric}" if reducer else f"{reward}/{metric}"
    if one is not None and kind in MEANS:
        key = one["name"]
        stated.specs.setdefault(key, one)
    elif one is not None and kind in ERRORS and not params["cluster"].words():
        stated.error_specs.setdefault(key, {**one, "name": key})
    stated.values.setdefault(key, value)


def _reduced(reward: str, reducer: str) -> SuggestedMetric | None:
    """The spec of the mean over samples whose epochs were reduced like this."""
    if reducer in REDUCERS:
        return spec("mean_reward", reward, failed="exclude")
    if passes := _PASSES.fullmatch(reducer):
        name = f"{_KINDS[passes['kind']]}{passes['k']}:unbiased"
        return spec(name, reward, failed="exclude")
    return None
