"""What an inspect-ai log states, and which of our metrics should equal it.

Its metrics are over samples whose epochs were reduced first, without those that failed or were
not scored: a mean of such means is our `mean_reward` without failed samples.
"""

from __future__ import annotations

from typing import Any, Final

from leaderboard.importers.part import Part
from leaderboard.importers.samples import spec

MAX: Final = 1e308
MEANS: Final = ("accuracy", "mean")
REDUCERS: Final = ("", "mean")


def stated_of(scores: Part) -> tuple[dict[str, float], dict[str, dict[str, Any]]]:
    """Stated values and the specs beside them; other metrics as `scorer/metric`."""
    values: dict[str, float] = {}
    specs: dict[str, dict[str, Any]] = {}
    for score in scores.items():
        name, scorer = score["name"].words(), score["scorer"].words()
        reward = name if name == scorer else f"{scorer}.{name}"
        reducer = score["reducer"].words()
        for metric, part in score["metrics"].fields():
            value = part["value"].value
            if type(value) not in (int, float) or not -MAX < value < MAX:
                continue  # a metric over nothing is NaN, and some give whole objects
            if metric.rpartition("/")[2] in MEANS and reducer in REDUCERS:
                one = spec("mean_reward", reward, failed="exclude")
                values.setdefault(one["name"], float(value))
                specs.setdefault(one["name"], one)
            else:
                of = f"{reward}/{reducer}" if reducer else reward
                values.setdefault(f"{of}/{metric}", float(value))
    return values, specs
