"""Applies a challenge's changes to its columns, and finds those that do not suit its board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf

from leaderboard.columns.column import PERCENT, Column
from leaderboard.columns.registry import get_column, known_columns
from leaderboard.rules.json.stored import StoredColumn
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import with_sent
from leaderboard.rules.texts.value_names import VALUE_NAMES, is_value_name
from leaderboard.schemas.columns import COLUMN_CHANGES, ColumnChange
from leaderboard.schemas.errors import checked, wrong


def apply_overrides(columns: Sequence[Column], overrides: object) -> list[Column]:
    """The columns with the challenge's changes.

    `overrides` is the JSON value of the challenge's `columns`. A key that is not among `columns`
    becomes a further column after them. Columns that the board ranks by stay first, are never
    hidden, and keep the direction of the ranking.

    A board may still show an older scoring config than the one that its columns were checked
    against, so an entry is refused only if it is wrong under any config. Raises SchemaError.
    """
    changes = checked(COLUMN_CHANGES, overrides, "columns")
    changed, entries = _changed(columns, changes), {change.key: change for change in changes}
    hidden = {change.key for change in changes if change.hidden}
    visible = [column for column in changed.values() if column.ranked or column.key not in hidden]
    return _told_apart(sorted(visible, key=lambda column: _place(column, entries.get(column.key))))


def _place(column: Column, change: ColumnChange | None) -> tuple[bool, float]:
    """The place of a column: those that the board ranks by are first, in their order."""
    if column.ranked or change is None:
        return not column.ranked, 0.0 if column.ranked else inf
    return True, change.position or inf


def _changed(columns: Sequence[Column], changes: Sequence[ColumnChange]) -> dict[str, Column]:
    """All columns with the challenge's changes by their keys. Raises SchemaError."""
    by_key = {column.key: column for column in columns}
    for index, change in enumerate(changes):
        column = by_key.get(change.key) or get_column(change.key)
        if column.unit_is_fixed and change.unit not in (None, column.unit):
            problem = message("must be {unit}, the unit of {key}", key=column.key, unit=column.unit)
            raise wrong(f"columns.{index}.unit", with_sent(problem, change.unit))
        by_key[change.key] = _overridden(column, change)
    return by_key


def _overridden(column: Column, change: ColumnChange) -> Column:
    given = change.model_dump(include={"label", "unit", "decimals", "direction"}, exclude_none=True)
    if column.ranked:
        given.pop("direction", None)
    if column.is_share and given.get("unit") == PERCENT and "decimals" not in given:
        given["decimals"] = max(0, column.decimals - 2)
    return replace(column, **given)


def _told_apart(columns: Iterable[Column]) -> list[Column]:
    """The columns with unique labels: the later one of two equal labels gets its key added."""
    columns_apart: list[Column] = []
    taken: set[str] = set()
    for column in columns:
        label = column.label
        while label.casefold() in taken:
            label = message("{label} ({key})", label=label, key=column.key)
        taken.add(label.casefold())
        columns_apart.append(column if label == column.label else replace(column, label=label))
    return columns_apart


def check_overrides(columns: Sequence[Column], overrides: object) -> list[ColumnChange]:
    """The entries of a challenge's `columns`, checked.

    Refuses what `apply_overrides` refuses, and entries that are impossible on this board.

    These are a key that no value can have, a direction that is not the ranking's, and hiding what
    the board ranks by. columns: those of the next scoring config. Raises SchemaError.
    """
    changes = checked(COLUMN_CHANGES, overrides, "columns")
    changed = _changed(columns, changes)
    known_keys = {column.key for column in columns} | known_columns().keys()
    for index, change in enumerate(changes):
        if change.key not in known_keys and not is_value_name(change.key):
            problem = message(
                "must be one of {known}, or the name of a reported value ({accepted})",
                known=", ".join(sorted(known_keys)),
                accepted=VALUE_NAMES,
            )
            raise wrong(f"columns.{index}.key", with_sent(problem, change.key))
        _check_ranked(f"columns.{index}", changed[change.key], change)
    return changes


def _check_ranked(field: str, column: Column, change: ColumnChange) -> None:
    """Refuse another direction than the ranking's, and hiding what the board ranks by."""
    if change.direction not in (None, column.direction):
        problem = message(
            "must be {direction}, because the board ranks {key} so",
            key=column.key,
            direction=column.direction,
        )
        raise wrong(f"{field}.direction", with_sent(problem, change.direction))
    if column.ranked and change.hidden:
        problem = message("must be false, because the board ranks by {key}", key=column.key)
        raise wrong(f"{field}.hidden", with_sent(problem, True))


def named_keys(overrides: Iterable[StoredColumn]) -> list[str]:
    """The keys in a challenge's `columns`, whose shape was checked."""
    return [entry["key"] for entry in overrides]
