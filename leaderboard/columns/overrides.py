"""A challenge's changes to its columns: `[{"key": "physics", "label": "Physics", …}]`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import Final, NotRequired, TypedDict, cast

from leaderboard.columns.column import Column
from leaderboard.columns.registry import get_column, known_columns
from leaderboard.rules.messages import message
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.value_names import VALUE_NAMES, is_text, is_value_name

MAX_LABEL: Final = 60
MAX_UNIT: Final = 12
MAX_DECIMALS: Final = 9
MAX_KEY: Final = 120
MAX_POSITION: Final = 100


class ColumnChange(TypedDict):
    """An entry of a challenge's `columns`: what it changes of the column with this key.

    position: its place among the columns that the board does not rank by, from 1 on; columns
    without one come after those with one. hidden: the board does not show it.
    """

    key: str
    label: NotRequired[str]
    unit: NotRequired[str]
    decimals: NotRequired[int]
    direction: NotRequired[Direction]
    position: NotRequired[int]
    hidden: NotRequired[bool]


class ColumnError(ValueError):
    """A wrong entry of a challenge's `columns`: the field (`columns.0.label`), and why."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(message("{field}: {problem}", field=field, problem=problem))
        self.field = field
        self.message = problem


def apply_overrides(columns: Sequence[Column], overrides: object) -> list[Column]:
    """The columns with the challenge's changes.

    `overrides` is the JSON value of the challenge's `columns`. A key that is not among `columns`
    becomes a further column after them. Columns that the board ranks by stay first, are never
    hidden, and keep the direction of the ranking.

    A board may still show an older scoring config than the one that its columns were checked
    against, so an entry is refused only if it is wrong under any config. Raises ColumnError with
    the field's name for the first wrong entry.
    """
    changed = _changed(columns, overrides)
    entries = {entry["key"]: entry for entry in cast(Sequence[ColumnChange], overrides)}
    shown = [each for each in changed.values() if not _is_hidden(each, entries.get(each.key))]
    return _told_apart(sorted(shown, key=lambda column: _place(column, entries.get(column.key))))


def _is_hidden(column: Column, entry: ColumnChange | None) -> bool:
    return not column.ranked and entry is not None and entry.get("hidden", False)


def _place(column: Column, entry: ColumnChange | None) -> tuple[bool, float]:
    """The place of a column: those that the board ranks by are first, in their order."""
    if column.ranked or entry is None:
        return not column.ranked, 0.0 if column.ranked else inf
    return True, entry.get("position", inf)


def _changed(columns: Sequence[Column], overrides: object) -> dict[str, Column]:
    """All columns with the challenge's changes by their keys. Raises ColumnError."""
    if not isinstance(overrides, list | tuple):
        raise ColumnError("columns", message("must be a list"))
    shown = {column.key: column for column in columns}
    named: set[str] = set()
    for index, entry in enumerate(overrides):
        field = f"columns.{index}"
        key, change = _key(field, entry), cast(ColumnChange, entry)
        if key in named:
            raise ColumnError(f"{field}.key", message("{key} is named twice", key=key))
        named.add(key)
        shown[key] = _overridden(field, shown.get(key) or get_column(key), change)
    return shown


def _told_apart(columns: Iterable[Column]) -> list[Column]:
    """The columns with unique labels: the later one of two equal labels gets its key added."""
    found: list[Column] = []
    taken: set[str] = set()
    for column in columns:
        label = column.label
        while label.casefold() in taken:
            label = message("{label} ({key})", label=label, key=column.key)
        taken.add(label.casefold())
        found.append(column if label == column.label else replace(column, label=label))
    return found


def check_overrides(columns: Sequence[Column], overrides: object) -> list[ColumnChange]:
    """The entries of a challenge's `columns`, checked.

    Refuses what `apply_overrides` refuses, and entries that are impossible on this board.

    These are a key that no value can have, a direction that is not the ranking's, and hiding what
    the board ranks by. columns: those of the next scoring config. Raises ColumnError.
    """
    shown = _changed(columns, overrides)
    known = {column.key for column in columns} | known_columns().keys()
    changes = cast(list[ColumnChange], list(cast(list[object], overrides)))
    for index, entry in enumerate(changes):
        column = shown[entry["key"]]
        if column.key not in known and not is_value_name(column.key):
            there_are = ", ".join(sorted(known))
            wrong = message(
                "must be one of {known}, or the name of a reported value ({accepted})",
                known=there_are,
                accepted=VALUE_NAMES,
            )
            raise ColumnError(f"columns.{index}.key", wrong)
        if entry.get("direction", column.direction) != column.direction:
            wrong = message(
                "the board ranks {key} {direction}; change the ranking instead",
                key=column.key,
                direction=column.direction,
            )
            raise ColumnError(f"columns.{index}.direction", wrong)
        if column.ranked and entry.get("hidden"):
            wrong = message("must be false, because the board ranks by {key}", key=column.key)
            raise ColumnError(f"columns.{index}.hidden", wrong)
    return changes


def named_keys(overrides: object) -> list[str]:
    """The keys in a challenge's `columns`, without malformed entries."""
    entries = overrides if isinstance(overrides, list | tuple) else ()
    keys = [entry.get("key") for entry in entries if isinstance(entry, dict)]
    return [key for key in keys if isinstance(key, str) and is_text(key, MAX_KEY)]


def _overridden(field: str, column: Column, entry: ColumnChange) -> Column:
    for name, value in entry.items():
        if name == "key":
            continue
        check = _CHECKS.get(name)
        if check is None:
            known = message("unknown field; known: {known}", known=", ".join(["key", *_CHECKS]))
            raise ColumnError(f"{field}.{name}", known)
        wrong = check(column, value)
        if wrong:
            raise ColumnError(f"{field}.{name}", wrong)
    return replace(
        column,
        label=entry.get("label", column.label),
        unit=entry.get("unit", column.unit),
        decimals=entry.get("decimals", column.decimals),
        direction=column.direction if column.ranked else entry.get("direction", column.direction),
    )


def _key(field: str, entry: object) -> str:
    if not isinstance(entry, dict):
        raise ColumnError(field, message("must be an object"))
    key = entry.get("key")
    if not is_text(key, MAX_KEY):
        raise ColumnError(
            f"{field}.key", message("must be a text of 1 to {most} characters", most=MAX_KEY)
        )
    return str(key)


def _wrong_label(column: Column, label: object) -> str:
    if is_text(label, MAX_LABEL):
        return ""
    return message("must be a text of 1 to {most} characters", most=MAX_LABEL)


def _wrong_unit(column: Column, unit: object) -> str:
    if unit != "" and not is_text(unit, MAX_UNIT):
        return message("must be a text of at most {most} characters", most=MAX_UNIT)
    if column.unit_is_fixed and unit != column.unit:
        return message("{key} is always in {unit}", key=column.key, unit=column.unit)
    return ""


def _wrong_decimals(column: Column, decimals: object) -> str:
    right = type(decimals) is int and 0 <= decimals <= MAX_DECIMALS
    return "" if right else message("must be a whole number from 0 to {most}", most=MAX_DECIMALS)


def _wrong_direction(column: Column, direction: object) -> str:
    return "" if direction in ("asc", "desc") else message("must be asc or desc")


def _wrong_position(column: Column, position: object) -> str:
    right = type(position) is int and 1 <= position <= MAX_POSITION
    return "" if right else message("must be a whole number from 1 to {most}", most=MAX_POSITION)


def _wrong_hidden(column: Column, hidden: object) -> str:
    return "" if isinstance(hidden, bool) else message("must be true or false")


_CHECKS: Final = {
    "label": _wrong_label,
    "unit": _wrong_unit,
    "decimals": _wrong_decimals,
    "direction": _wrong_direction,
    "position": _wrong_position,
    "hidden": _wrong_hidden,
}
