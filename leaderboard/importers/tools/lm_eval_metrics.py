"""What a results file of lm-evaluation-harness says of its metrics: how documents become a value,
and which end of it is better.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from typing import Final

from leaderboard.importers.reading.directions import direction_of
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.reported_numbers import MAX_LABEL
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.suggestions import SuggestedColumn, SuggestedFields
from leaderboard.rules.sortkey import Direction

MEAN: Final = "mean"
TOLERANCE: Final = 1e-6
MAX_COLUMNS: Final = 20


def aggregation_of(results: JsonValue, reward: str) -> str:
    """How the harness makes its value of a metric from documents; "" if the file does not say."""
    for name, part in results["configs"].fields():
        for metric in part["metric_list"].items():
            called = f"{name}.{metric['metric'].words()}"
            if reward == called or reward.startswith(f"{called}."):
                return metric["aggregation"].words()
    return ""


def averaged(
    samples: Sequence[SampleRow], results: JsonValue, stated: Mapping[str, float]
) -> list[SampleRow]:
    """The samples with those rewards that the harness averages.

    If the file does not say how a value is made, the reward is kept only if its mean is the stated
    value. Documents of a task set that has no reward then are left out: nothing of them counts.
    stated: the values in the file, by the name of the reward.
    """
    means = _means(samples)
    kept = {
        name
        for name, mean in means.items()
        if (how := aggregation_of(results, name)) == MEAN
        or (how in ("", "nanmean") and _is_close(mean, stated.get(name)))
    }
    rows = [_with_rewards(row, kept) for row in samples]
    sets = {_set_of(row) for row in rows if row["rewards"] or row["rewards"] is None}
    return [row for row in rows if _set_of(row) in sets]


def _means(samples: Sequence[SampleRow]) -> dict[str, float]:
    scores: dict[str, list[float]] = defaultdict(list)
    for row in samples:
        for name, value in (row["rewards"] or {}).items():
            if value is not None:
                scores[name].append(value)
    return {name: sum(values) / len(values) for name, values in scores.items()}


def _is_close(mean: float, stated: float | None) -> bool:
    return stated is None or isclose(mean, stated, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _with_rewards(row: SampleRow, names: set[str]) -> SampleRow:
    if row["rewards"] is None:
        return row
    rewards = {name: value for name, value in row["rewards"].items() if name in names}
    return {**row, "rewards": rewards}


def _set_of(row: SampleRow) -> str:
    return row["task"].rpartition("/")[0]


def directions_of(files: Iterable[JsonValue]) -> dict[str, Direction]:
    """The better end of each value, `set.metric`, where a file says it."""
    directions: dict[str, Direction] = {}
    for results in files:
        for name, part in results["configs"].fields():
            for entry in part["metric_list"].items():
                if isinstance(entry["higher_is_better"].value, bool):
                    metric = f"{name}.{entry['metric'].words()}"
                    directions[metric] = "desc" if entry["higher_is_better"].value else "asc"
        for name, part in results["higher_is_better"].fields():
            for metric, higher in part.fields() if isinstance(part.value, dict) else ():
                if isinstance(higher.value, bool):
                    directions[f"{name}.{metric}"] = "desc" if higher.value else "asc"
    return directions


def directed(
    fields: SuggestedFields,
    attempts: Sequence[ImportedAttempt],
    directions: Mapping[str, Direction],
) -> SuggestedFields:
    """The suggested fields, with the directions of the file and a column for each stated value."""
    values = dict.fromkeys(key for one in attempts for key in one.values)
    columns: list[SuggestedColumn] = [
        {"key": key, "label": key[:MAX_LABEL], "direction": _direction(key, directions)}
        for key in list(values)[:MAX_COLUMNS]
    ]
    for key in fields.get("rank_by", ()):
        key["direction"] = _direction(key["key"].rpartition(":")[2], directions)
    return {**fields, "columns": columns} if columns else fields


def _direction(key: str, directions: Mapping[str, Direction]) -> Direction:
    """The better end of a value; the key of one of another filter has the filter at its end."""
    for name in (key, key.rpartition(".")[0]):
        if name in directions:
            return directions[name]
    return direction_of(key)
