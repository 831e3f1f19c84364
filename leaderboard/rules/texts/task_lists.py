"""Lists of tasks as people write them: a line per task, or a table with a header.

A line is `task-1`, or `task-1: accuracy, style` with the rewards of the task. A table has the
column `name` and, if wanted, `rewards`, `group`, `weight` and `cluster`, separated by commas,
semicolons or tabs, as spreadsheets write and copy them. Commas stand between the rewards of a cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Final, NamedTuple

from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

COLUMNS: Final = ("name", "rewards", "group", "weight", "cluster")
DELIMITERS: Final = ("\t", ";", ",")
BOM: Final = "\ufeff"


class ListedTask(NamedTuple):
    """A task as texts, which are not checked yet."""

    name: str
    rewards: str = ""
    group: str = ""
    weight: str = ""
    cluster: str = ""


def read_tasks(text: str) -> list[ListedTask]:
    """The tasks of a list or a table. Raises ValueError for a table with another header."""
    lines = [line for line in text.removeprefix(BOM).splitlines() if line.strip()]
    delimiter = _delimiter_of(lines[0]) if lines else ""
    if delimiter:
        return list(_of_table(lines, delimiter))
    if lines and _names(lines[0]) == ["name"]:
        lines = lines[1:]
    return [_of_line(line) for line in lines]


def as_table(tasks: Iterable[ListedTask]) -> str:
    """The tasks as a table with commas, which `read_tasks` reads."""
    written = StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(tasks)
    return written.getvalue()


def names_in(cell: str) -> list[str]:
    """The names between the commas of a cell; quotation marks keep a comma in a name."""
    (cells,) = list(csv.reader([cell], skipinitialspace=True)) or [[]]
    return [name.strip() for name in cells if name.strip()]


def as_cell(names: Iterable[str]) -> str:
    """The names with commas between them, which `names_in` reads."""
    return ", ".join(_quoted(name) for name in names)


def _quoted(name: str) -> str:
    if not {",", '"'} & set(name):
        return name
    return f'"{name.replace(chr(34), chr(34) * 2)}"'


def _of_line(line: str) -> ListedTask:
    name, _colon, rewards = line.partition(": ")
    return ListedTask(name.strip(), rewards.strip())


def _of_table(lines: list[str], delimiter: str) -> Iterator[ListedTask]:
    header = _names(lines[0], delimiter)
    unknown = [name for name in header if name not in COLUMNS]
    if unknown or len(set(header)) < len(header):
        accepted = ", ".join(COLUMNS)
        raise ValueError(
            message(
                "the first line must name columns ({accepted}), each once; got {got}",
                accepted=accepted,
                got=sent(lines[0]),
            )
        )
    for cells in csv.reader(lines[1:], delimiter=delimiter, skipinitialspace=True):
        fields = dict(zip(header, (cell.strip() for cell in cells), strict=False))
        if any(fields.values()):
            yield ListedTask(**{"name": "", **fields})


def _delimiter_of(line: str) -> str:
    """The delimiter of a header; "" for a line that is no header of a table."""
    fitting = (
        delimiter
        for delimiter in DELIMITERS
        if delimiter in line and "name" in _names(line, delimiter)
    )
    return next(fitting, "")


def _names(line: str, delimiter: str = ",") -> list[str]:
    (cells,) = list(csv.reader([line], delimiter=delimiter)) or [[]]
    return [cell.strip().lower() for cell in cells]
