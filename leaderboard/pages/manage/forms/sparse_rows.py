"""Lists in forms: rows of fields such as `tasks.3.name`, which can be added and removed.

A removed row leaves a gap in the numbers. So the other rows keep their names, and a button can name
its row.
"""

from __future__ import annotations

from typing import Final

from django.http import QueryDict

REMOVE: Final = "remove"
"""The name of a button that removes a row; its value names the row: `tasks.3`."""
MORE: Final = "more"
"""The name of a button that adds rows; its value names the list: `tasks`."""


def row_numbers(data: QueryDict, name: str) -> list[int]:
    """The numbers of the rows of a list that a form sent, in their order."""
    sent = (field.split(".", 2) for field in data if field.startswith(f"{name}."))
    numbers = {int(parts[1]) for parts in sent if parts[1].isdecimal() and len(parts[1]) < 7}
    return sorted(numbers)


def without_removed(data: QueryDict) -> QueryDict:
    """A copy of what was sent, without the row that a button removes."""
    kept = data.copy()
    removed = kept.get(REMOVE, "")
    for field_name in [name for name in kept if removed and name.startswith(f"{removed}.")]:
        del kept[field_name]
    return kept


def is_about_rows(data: QueryDict | None) -> bool:
    """Whether a button for rows was pressed, so that nothing is to be saved."""
    return data is not None and (REMOVE in data or MORE in data)


def wanted_more(data: QueryDict | None, name: str, count: int) -> int:
    """`count` if a button asks for more rows of the list, else 0."""
    return count if data is not None and data.get(MORE) == name else 0


def next_numbers(used: list[int], count: int, least: int = 0) -> list[int]:
    """`count` numbers for further rows, behind those in use and from `least` on."""
    start = max([least - 1, *used]) + 1
    return list(range(start, start + count))
