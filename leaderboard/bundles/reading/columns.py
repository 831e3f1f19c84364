"""The columns of another platform's board: order, direction, digits, and what is computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from leaderboard.bundles.reading.draft import Bundle
from leaderboard.rules.sortkey import Direction

Operation = Literal["avg", "sum", "min", "max"]


@dataclass
class BundledColumn:
    """A column. key: the name of its value here. operation, of: how it is computed from others."""

    key: str
    label: str
    direction: Direction
    decimals: int | None = None
    is_hidden: bool = False
    operation: Operation | None = None
    of: list[str] = field(default_factory=list)


def set_columns(bundle: Bundle, columns: list[BundledColumn], first: str) -> None:
    """Give the draft its columns, and the program its values. first: the key that it ranks by.

    The first column that can rank does so if `first` is none of them.
    """
    visible = [column for column in columns if not column.is_hidden] or columns
    ranked = next((column for column in visible if column.key == first), visible[0])
    bundle.fields["rank_by"] = [{"key": ranked.key, "direction": ranked.direction}]
    bundle.fields["columns"] = [
        {
            "key": column.key,
            "label": column.label[:60] or column.key[:60],
            **({"decimals": min(column.decimals, 9)} if column.decimals is not None else {}),
            **({"position": number} if column is not ranked else {}),
            **({"hidden": True} if column.is_hidden and column is not ranked else {}),
        }
        for number, column in enumerate(columns, 1)
    ]
    bundle.program.values = {
        column.key: column.direction for column in columns if not column.operation
    }
    bundle.program.computed = {
        column.key: {
            "operation": column.operation,
            "of": column.of,
            "direction": column.direction,
        }
        for column in columns
        if column.operation
    }
