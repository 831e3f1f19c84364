"""Finds the columns of this folder: every module with a `COLUMN` is one, no list to edit."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType

import leaderboard.columns
from leaderboard.columns.column import Column
from leaderboard.columns.metric import Note, metric_column, metric_keys
from leaderboard.columns.reported import reported
from leaderboard.rules.metric_specs import ECONOMICS, MetricSpec, is_value_name, spec_of
from leaderboard.rules.ranking import PRESETS
from leaderboard.rules.sortkey import Direction

NO_NOTES: Mapping[str, Note] = MappingProxyType({})


@cache
def known_columns() -> Mapping[str, Column]:
    """Every column that a file here describes, by key."""
    package = leaderboard.columns
    found: dict[str, Column] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        column = getattr(import_module(module.name), "COLUMN", None)
        if column is None:
            continue
        if column.key in found:
            raise RuntimeError(f"{module.name}: there already is a column {column.key!r}")
        found[column.key] = column
    return MappingProxyType(found)


def get_column(
    key: str, specs: Sequence[MetricSpec] = (), notes: Mapping[str, Note] = NO_NOTES
) -> Column:
    """The column of a key: of a file here, of a metric, or a number that participants report.

    notes: what metrics say of themselves, by type, for those that do not come with Podium.
    """
    if known := known_columns().get(key):
        return known
    spec = spec_of(key, specs)
    return metric_column(key, spec, notes.get(spec.type)) if spec else reported(key)


def columns_for(
    strategy: str,
    rank_keys: Sequence[tuple[str, Direction]],
    specs: Sequence[MetricSpec] = (),
    *,
    notes: Mapping[str, Note] = NO_NOTES,
    rewards: Sequence[str] = (),
    seen: Sequence[str] = (),
    named: Sequence[str] = (),
) -> list[Column]:
    """A board's columns: what it ranks by, its metrics, what is named, economics, other facts.

    rank_keys: keys and directions of the strategy `metric`; the others bring their own.
    notes: as of `get_column`. rewards: names that the challenge's tasks declare. seen: keys of
    metric values that attempts have had. named: keys that the challenge itself speaks of.
    """
    ranked = [(key.key, key.direction) for key in PRESETS.get(strategy, ())] or rank_keys
    shown = {
        key: replace(get_column(key, specs, notes), direction=direction, ranked=True)
        for key, direction in ranked
    }
    facts = sorted(
        (column for column in known_columns().values() if column.place is not None),
        key=lambda column: (column.place, column.key),
    )
    others = [
        *metric_keys(specs, rewards, seen),
        *(key for key in named if key not in known_columns() and _may_be(key, specs)),
        *(key for key in ECONOMICS if key in seen),
        *(column.key for column in facts),
    ]
    for key in others:
        shown.setdefault(key, get_column(key, specs, notes))
    return list(shown.values())


def _may_be(key: str, specs: Sequence[MetricSpec]) -> bool:
    return is_value_name(key) or spec_of(key, specs) is not None
