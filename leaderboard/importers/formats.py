"""Finds the importers of this folder and picks the one for a file, by what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import leaderboard.importers
from leaderboard.importers.errors import ImportFailed
from leaderboard.importers.imports import ColumnMap, Import, Importer
from leaderboard.importers.naming import given_name
from leaderboard.importers.nearest import nearest
from leaderboard.importers.source import Source
from leaderboard.rules.modules import offered

STRICT_TABLE = "podium-csv"
"""Our own table, which is read to the letter; what it refuses may still be some table."""


@cache
def known_importers() -> Mapping[str, Importer]:
    """Every format that a file here describes, by key."""
    return offered(leaderboard.importers, "IMPORTER")


def recognise(source: Source, otherwise: str = "") -> str:
    """The key of the format that a source has. Raises ImportFailed when none or several fit.

    A format of any table is asked last. otherwise: what a single file of no format is meant to
    be, so that its reader says what is wrong in it; "" if nobody knows.
    """
    special = {key: each for key, each in known_importers().items() if not each.reads_mapped}
    fitting = [key for key, each in special.items() if each.recognises(source)]
    if STRICT_TABLE in fitting and len(fitting) > 1:
        fitting.remove(STRICT_TABLE)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ImportFailed(
            f"could be {' or '.join(fitting)}; say which as its format", file=source.label
        )
    source.complain_of_json()
    if otherwise and source.single:
        return otherwise
    if any_table := _any_table(source):
        return any_table
    raise ImportFailed(f"is of no known format; {_near(source)}", file=source.label)


def read(
    source: Source,
    *,
    format: str = "",  # noqa: A002 - the API's word
    participant: str = "",
    otherwise: str = "",
    columns: ColumnMap | None = None,
) -> Import:
    """The attempts, or challenges, of a source.

    format: a key of `known_importers`, "" to recognise it; `otherwise`: see there. participant:
    whose attempts they are, "" to make names of the agents and models in the file. columns: what
    is said of a table's columns. Raises ImportFailed.
    """
    name = given_name(participant) if participant else ""
    said = columns or ColumnMap()
    key = format or (_mapped_format() if said.entries else recognise(source, otherwise))
    if key not in known_importers():
        raise ImportFailed(f"format: {key[:40]!r} is not known; {_accepted()}")
    found = _read(source, key, name, said, is_said=bool(format))
    shared = [f"all {len(found.attempts)} attempts in it become attempts of {name}"]
    return replace(
        found,
        warnings=[
            *source.notes,
            *found.warnings,
            *(shared if name and len(found.attempts) > 1 else ()),
        ],
    )


def _read(source: Source, key: str, name: str, said: ColumnMap, *, is_said: bool) -> Import:
    importer = known_importers()[key]
    if importer.reads_mapped:
        return importer.reads_mapped(source, name, said)
    if said.entries:
        raise ImportFailed(f"map: is for tables, whose columns have labels; {key} has none")
    if key != STRICT_TABLE or is_said:
        return importer.reads(source, name)
    try:
        return importer.reads(source, name)
    except ImportFailed as refused:
        try:
            return _read(source, _mapped_format(), name, said, is_said=True)
        except ImportFailed as as_any:
            refused.map = as_any.map
            raise refused from None


def _mapped_format() -> str:
    """The format whose columns can be mapped."""
    return next(key for key, each in known_importers().items() if each.reads_mapped)


def _any_table(source: Source) -> str:
    key = _mapped_format()
    return key if known_importers()[key].recognises(source) else ""


def _near(source: Source) -> str:
    """The formats that the file comes nearest to, and the way that is open to every table."""
    special = [each for each in known_importers().values() if not each.reads_mapped]
    found = nearest(source, special)
    table = known_importers()[_mapped_format()]
    near = " and ".join(f"{each.key} ({each.accepts})" for each in found)
    return (f"it comes nearest to {near}; " if near else "") + (
        f"any results can come as {table.key} ({table.accepts})"
    )


def _accepted() -> str:
    each = (f"{key} ({importer.accepts})" for key, importer in known_importers().items())
    return f"accepted are {', '.join(each)}"
