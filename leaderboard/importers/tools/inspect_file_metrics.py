"""The metric values in an inspect-ai log, and the metrics here that should equal them.

Its metrics are over samples whose epochs were reduced first, without those that failed or were
not scored. So a mean of means is our `mean_reward` without failed samples, and a mean of the
reducers `pass_at_K` and `pass_k_K` is our `pass@K:unbiased` and `pass^K:unbiased`; its standard
error, over the samples, is ours over tasks.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from leaderboard.importers.reading.json_place import Part
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, finite
from leaderboard.importers.reading.samples import spec
from leaderboard.importers.reading.suggestions import SuggestedMetric

MAX: Final = 1e308
MEANS: Final = ("accuracy", "mean")
ERRORS: Final = ("stderr",)
SPREADS: Final = ("stderr", "std", "var", "ci_")
"""Parts of the names of metrics that say how uncertain another one is."""
REDUCERS: Final = ("", "mean")

_PASSES = re.compile(r"pass_(?P<kind>at|k)_(?P<k>[1-9]\d{0,3})")
_KINDS: Final = {"at": "pass@", "k": "pass^"}


class FileMetricValues(NamedTuple):
    """The values in a file, and the specs as in `ImportedAttempt`, both by name."""

    values: dict[str, float]
    specs: dict[str, SuggestedMetric]
    error_specs: dict[str, SuggestedMetric]


def file_metrics_of(scores: Part) -> FileMetricValues:
    """The metric values of a log; metrics that Podium lacks are called `scorer/metric`."""
    found = FileMetricValues({}, {}, {})
    for score in scores.items():
        name, scorer = score["name"].words(), score["scorer"].words()
        reward = name if name == scorer else f"{scorer}.{name}"
        for metric, part in score["metrics"].fields():
            value = part["value"].value
            if type(value) not in (int, float) or not -MAX < value < MAX:
                continue  # a metric over nothing is NaN, and some give whole objects
            _add(found, reward, score["reducer"].words(), metric, part["params"], float(value))
    return found


def reported_values(scores: Part) -> dict[str, float]:
    """The values of a log without samples, `scorer.metric`, without their standard errors."""
    numbers = ReportedNumbers("inspect-ai")
    for score in scores.items():
        name, scorer = score["name"].words(), score["scorer"].words()
        reward = name if name == scorer or not scorer else f"{scorer}.{name}"
        for metric, part in score["metrics"].fields():
            kind, value = metric.rpartition("/")[2], finite(part["value"].value)
            if value is not None and not any(spread in kind for spread in SPREADS):
                parts = (reward, score["reducer"].words(), kind)
                numbers.add(".".join(each for each in parts if each), value)
    return numbers.values


def _add(
    found: FileMetricValues, reward: str, reducer: str, metric: str, params: Part, value: float
) -> None:
    """Add a value, unless there is one of this name."""
    kind, one = metric.rpartition("/")[2], _reduced(reward, reducer)
    key = f"{reward}/{reducer}/{metric}" if reducer else f"{reward}/{metric}"
    if one is not None and kind in MEANS:
        key = one["name"]
        found.specs.setdefault(key, one)
    elif one is not None and kind in ERRORS and not params["cluster"].words():
        found.error_specs.setdefault(key, {**one, "name": key})
    found.values.setdefault(key, value)


def _reduced(reward: str, reducer: str) -> SuggestedMetric | None:
    """The spec of the mean over samples whose epochs were reduced like this."""
    if reducer in REDUCERS:
        return spec("mean_reward", reward, failed="exclude")
    if found := _PASSES.fullmatch(reducer):
        name = f"{_KINDS[found['kind']]}{found['k']}:unbiased"
        return spec(name, reward, failed="exclude")
    return None
