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
from leaderboard.columns.reported import reported
from leaderboard.rules.ranking import PRESETS
from leaderboard.rules.sortkey import Direction


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


def get_column(key: str) -> Column:
    """The column of a key; one that no file describes is a number reported by participants."""
    return known_columns().get(key) or reported(key)


def columns_for(strategy: str, rank_keys: Sequence[tuple[str, Direction]]) -> list[Column]:
    """A board's columns: what it ranks by, in order, then the other facts of an attempt.

    `rank_keys` are the keys and directions of the strategy `metric`; the others bring their own.
    """
    keys = [(key.key, key.direction) for key in PRESETS.get(strategy, ())] or rank_keys
    ranked = [replace(get_column(key), direction=direction, ranked=True) for key, direction in keys]
    rest = [
        column
        for column in known_columns().values()
        if column.place is not None and column.key not in {shown.key for shown in ranked}
    ]
    return ranked + sorted(rest, key=lambda column: (column.place, column.key))
