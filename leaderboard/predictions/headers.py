"""The first line of a table: which column is where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from leaderboard.predictions.problems import BadTable, Problem, legible
from leaderboard.rules.texts.messages import listed, message
from leaderboard.rules.texts.nearest import nearest

MAX_COLUMNS: Final = 2_000
SHOWN: Final = 10


def checked_header(
    header: Sequence[str], wanted: Sequence[str] | None
) -> tuple[dict[str, int], list[str]]:
    """The position of each column that is wanted (of all columns, if it is None), and warnings.

    Raises BadTable for columns that are missing or named twice.
    """
    if len(header) > MAX_COLUMNS:
        most = message("the table must have at most {most} columns; got more", most=MAX_COLUMNS)
        raise BadTable.because(most)
    names = [name for name in header if name] if wanted is None else list(wanted)
    problems = [*_missing(header, names), *_repeated(header, names)]
    if problems:
        raise BadTable([Problem(1, text) for text in problems])
    columns = {name: header.index(name) for name in names}
    return columns, [*_warnings(header, columns)]


def _missing(header: Sequence[str], wanted: Sequence[str]) -> list[str]:
    missing = [name for name in wanted if name not in header]
    unused_names = [name for name in header if name not in wanted and name]
    near = {name: nearest(name, unused_names) for name in missing}
    if missing and len(missing) == len(wanted) and not any(near.values()):
        columns = listed([legible(name) for name in wanted[:SHOWN]])
        return [message("the first line must name the columns {columns}", columns=columns)]
    return [
        message(
            "there is no column {name}; did you mean it by {other}?",
            name=legible(name),
            other=legible(other),
        )
        if (other := near[name])
        else message("there is no column {name}", name=legible(name))
        for name in missing
    ]


def _repeated(header: Sequence[str], wanted: Sequence[str]) -> list[str]:
    return [
        message("there are several columns {name}", name=legible(name))
        for name in dict.fromkeys(wanted)
        if list(header).count(name) > 1
    ]


def _warnings(header: Sequence[str], columns: Mapping[str, int]) -> Iterator[str]:
    if header and not header[0]:
        yield message(
            "the first column, which has no name, is left out: pandas writes its index so"
        )
    unused_columns = [legible(name) for name in header if name and name not in columns]
    if unused_columns:
        yield message("left out: the columns {columns}", columns=listed(unused_columns[:SHOWN]))
