"""What a challenge says about its columns: `[{"key": "physics", "label": "Physics", …}]`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from leaderboard.columns.column import Column
from leaderboard.columns.registry import get_column, known_columns
from leaderboard.rules.metric_specs import VALUE_NAMES, is_value_name
from leaderboard.rules.spec_names import is_text

MAX_LABEL: Final = 60
MAX_UNIT: Final = 12
MAX_DECIMALS: Final = 9
MAX_KEY: Final = 120


class ColumnError(ValueError):
    """A wrong entry of a challenge's `columns`: which field (`columns.0.label`), and why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def apply_overrides(columns: Sequence[Column], overrides: object) -> list[Column]:
    """The columns as the challenge wants them.

    `overrides` is the JSON value of the challenge's `columns`. A key that is not among `columns`
    is added behind them. What the board ranks by keeps the direction of the ranking.

    A board may still show an older scoring config than the one its columns were checked against,
    so only what is wrong under any config is refused. Raises ColumnError with the field's name
    for the first wrong entry.
    """
    if not isinstance(overrides, list | tuple):
        raise ColumnError("columns", "must be a list")
    shown = {column.key: column for column in columns}
    named: set[str] = set()
    for index, entry in enumerate(overrides):
        field = f"columns.{index}"
        key = _key(field, entry)
        if key in named:
            raise ColumnError(f"{field}.key", f"{key} is named twice")
        named.add(key)
        shown[key] = _overridden(field, shown.get(key) or get_column(key), entry)
    return _told_apart(shown.values())


def _told_apart(columns: Iterable[Column]) -> list[Column]:
    """The columns with a label of their own each: a later one of two gets its key behind it."""
    found: list[Column] = []
    taken: set[str] = set()
    for column in columns:
        label = column.label
        while label.casefold() in taken:
            label = f"{label} ({column.key})"
        taken.add(label.casefold())
        found.append(column if label == column.label else replace(column, label=label))
    return found


def check_overrides(columns: Sequence[Column], overrides: Any) -> None:
    """Refuse what `apply_overrides` refuses, and what cannot be on this board.

    That is a key that no value can have, or a direction that is not the ranking's. `columns` are
    those of the scoring config to come. Raises ColumnError.
    """
    shown = {column.key: column for column in apply_overrides(columns, overrides)}
    known = {column.key for column in columns} | known_columns().keys()
    for index, entry in enumerate(overrides):
        column = shown[entry["key"]]
        if column.key not in known and not is_value_name(column.key):
            there_are = ", ".join(sorted(known))
            wrong = f"must be one of {there_are}, or the name of a reported value ({VALUE_NAMES})"
            raise ColumnError(f"columns.{index}.key", wrong)
        if entry.get("direction", column.direction) != column.direction:
            wrong = f"the board ranks {column.key} {column.direction}; change the ranking instead"
            raise ColumnError(f"columns.{index}.direction", wrong)


def named_keys(overrides: object) -> list[str]:
    """The keys that a challenge's `columns` speak of, as far as they are well-formed."""
    entries = overrides if isinstance(overrides, list | tuple) else ()
    keys = [entry.get("key") for entry in entries if isinstance(entry, dict)]
    return [key for key in keys if isinstance(key, str) and is_text(key, MAX_KEY)]


def _overridden(field: str, column: Column, entry: dict[str, Any]) -> Column:
    changes = {name: value for name, value in entry.items() if name != "key"}
    for name, value in changes.items():
        check = _CHECKS.get(name)
        if check is None:
            raise ColumnError(f"{field}.{name}", f"unknown field; known: key, {', '.join(_CHECKS)}")
        wrong = check(column, value)
        if wrong:
            raise ColumnError(f"{field}.{name}", wrong)
    if column.ranked:
        changes.pop("direction", None)
    return replace(column, **changes)


def _key(field: str, entry: object) -> str:
    if not isinstance(entry, dict):
        raise ColumnError(field, "must be an object")
    key = entry.get("key")
    if not is_text(key, MAX_KEY):
        raise ColumnError(f"{field}.key", f"must be a text of 1 to {MAX_KEY} characters")
    return str(key)


def _wrong_label(column: Column, label: object) -> str:
    return "" if is_text(label, MAX_LABEL) else f"must be a text of 1 to {MAX_LABEL} characters"


def _wrong_unit(column: Column, unit: object) -> str:
    if unit != "" and not is_text(unit, MAX_UNIT):
        return f"must be a text of at most {MAX_UNIT} characters"
    if column.unit_is_fixed and unit != column.unit:
        return f"{column.key} is always in {column.unit}"
    return ""


def _wrong_decimals(column: Column, decimals: object) -> str:
    right = type(decimals) is int and 0 <= decimals <= MAX_DECIMALS
    return "" if right else f"must be a whole number from 0 to {MAX_DECIMALS}"


def _wrong_direction(column: Column, direction: object) -> str:
    return "" if direction in ("asc", "desc") else "must be asc or desc"


_CHECKS: Final = {
    "label": _wrong_label,
    "unit": _wrong_unit,
    "decimals": _wrong_decimals,
    "direction": _wrong_direction,
}
