"""The better end of values: a value's own direction, and where a challenge says the opposite.

The direction is stored with a ranked value, so that a board never turns round because a plugin is
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from leaderboard.columns import get_column, known_columns
from leaderboard.models import ScoringConfig
from leaderboard.rules.json.stored import StoredColumn
from leaderboard.rules.ranking.win_rates import WIN_RATE
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.sortkey import Direction
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.schemas.text_metrics import TextSpec, text_spec_of
from leaderboard.strategies import get_strategy

_RANKED: dict[str, str | Promise] = {
    "desc": gettext_lazy(
        "The board ranks by {key} from the highest value on, although lower values of it are"
        " better."
    ),
    "asc": gettext_lazy(
        "The board ranks by {key} from the lowest value on, although higher values of it are"
        " better."
    ),
}
_COMPARED: dict[str, str | Promise] = {
    "desc": gettext_lazy(
        "{metric} takes higher values of {key} as better, although lower ones are."
    ),
    "asc": gettext_lazy(
        "{metric} takes lower values of {key} as better, although higher ones are."
    ),
}
_SHOWN: dict[str, str | Promise] = {
    "desc": gettext_lazy(
        "The column {key} says that higher values are better, although lower ones are."
    ),
    "asc": gettext_lazy(
        "The column {key} says that lower values are better, although higher ones are."
    ),
}


def direction_of(
    key: str,
    *,
    specs: Sequence[MetricSpec],
    notes: Mapping[str, Any],
    texts: Sequence[TextSpec],
    columns: Sequence[StoredColumn] = (),
) -> Direction:
    """The direction of a value where a challenge names none: `desc` if nothing is known of it.

    specs, notes, texts: the challenge's metrics, as for `get_column`. columns: the challenge's
    changes of its columns, which say it of values that say nothing themselves.
    """
    own = get_column(key, specs, notes, texts).direction
    if _says_nothing(key, specs, texts):
        named = (column.get("direction") for column in columns if column.get("key") == key)
        return next(filter(None, named), own)
    return own


def with_own_directions(
    metrics: Iterable[Any], own_direction: Callable[[str], Direction]
) -> list[Any]:
    """A challenge's metrics, in which win rates name the direction of each value that has `asc`."""

    def explicit(compared: Any) -> Any:
        given = {"key": compared} if isinstance(compared, str) else compared
        if "direction" in given or own_direction(given["key"]) == "desc":
            return compared
        return {**given, "direction": "asc"}

    return [
        {**entry, "of": list(map(explicit, entry["of"]))}
        if isinstance(entry, dict) and entry.get("type") == WIN_RATE
        else entry
        for entry in metrics
    ]


def direction_warnings(config: ScoringConfig, columns: Sequence[StoredColumn] = ()) -> list[str]:
    """Sentences about values whose direction is the opposite of their own.

    columns: the challenge's changes of its columns.
    """
    return list(_warnings(config, columns))


def _warnings(config: ScoringConfig, columns: Sequence[StoredColumn]) -> Iterator[str]:
    if not get_strategy(config.strategy).keys:
        for key in config.ranking.keys:
            if _is_opposite(config, key.key, key.direction):
                yield str(_RANKED[key.direction]).format(key=key.key)
    for spec in config.comparing_specs:
        for key in spec.compared:
            if _is_opposite(config, key.key, key.direction):
                yield str(_COMPARED[key.direction]).format(metric=spec.name, key=key.key)
    ranked = set(config.ranked_keys)
    for column in columns:
        direction = column.get("direction")
        if column["key"] not in ranked and _is_opposite(config, column["key"], direction):
            yield str(_SHOWN[direction or ""]).format(key=column["key"])


def _is_opposite(config: ScoringConfig, key: str, direction: Direction | None) -> bool:
    """Whether a value says itself that its other end is better."""
    specs, notes, texts = config.metric_specs, config.metric_notes, config.named_specs
    if _says_nothing(key, specs, texts):
        return False
    own = direction_of(key, specs=specs, notes=notes, texts=texts)
    return direction is not None and direction != own


def _says_nothing(key: str, specs: Sequence[MetricSpec], texts: Sequence[TextSpec]) -> bool:
    """Whether a value does not say which end of it is better: a reported one, or of a script."""
    spec = spec_of(key, specs)
    if spec is not None:
        return spec.type == SCRIPT
    return key not in known_columns() and text_spec_of(key, texts) is None
