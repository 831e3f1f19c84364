"""Finds the importers of this folder and picks the one for a file, by what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, reduce

from leaderboard.importers.formats.podium_csv import is_other_table
from leaderboard.importers.nearest_format import nearest
from leaderboard.importers.reading.amounts import check_amount
from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.imports import ColumnMap, Import, Importer
from leaderboard.importers.reading.naming import given_name
from leaderboard.importers.reading.source import Source
from leaderboard.rules.plugins.modules import offered
from leaderboard.rules.texts.messages import counted, listed, message
from leaderboard.rules.texts.quoting import sent

STRICT_TABLE = "podium-csv"
"""Podium's own table, which is read strictly. A file that it refuses may be another table."""


@cache
def known_importers() -> Mapping[str, Importer]:
    """Every format that a file here describes, by key."""
    formats = {
        **offered("leaderboard.importers.formats", "IMPORTER"),
        **offered("leaderboard.importers.formats.harbor", "IMPORTER"),
    }
    return dict(sorted(formats.items()))


def recognise(source: Source, otherwise: str = "") -> str:
    """The key of the format that a source has. Raises ImportFailed if none or several fit. The
    format for any table is tried last. otherwise: the format of a single file that fits none, so
    that its importer reports the errors of the file; "" if it is not known.
    """
    special = {
        key: importer for key, importer in known_importers().items() if not importer.reads_mapped
    }
    fitting = [key for key, importer in special.items() if importer.recognises(source)]
    if STRICT_TABLE in fitting and len(fitting) > 1:
        fitting.remove(STRICT_TABLE)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ImportFailed(
            message(
                "must come with its format, because it could be {formats}; got none",
                formats=reduce(_either, fitting),
            ),
            file=source.label,
        )
    source.complain_of_json()
    for key, importer in special.items():
        if importer.resembles and importer.resembles(source):
            return key
    if otherwise and source.single:
        return otherwise
    if any_table := _any_table(source):
        return any_table
    raise ImportFailed(_unknown(source), file=source.label)


def read(
    source: Source,
    *,
    format: str = "",  # noqa: A002 - the API's word
    participant: str = "",
    otherwise: str = "",
    columns: ColumnMap | None = None,
) -> Import:
    """The attempts, or challenges, of a source.

    format: a key of `known_importers`, "" to recognise it; `otherwise`: as for `recognise`.
    participant: whose attempts they are; "" to make names from the agents and models in the file.
    columns: the given uses of a table's columns. Raises ImportFailed.
    """
    name = given_name(participant) if participant else ""
    column_map = columns or ColumnMap()
    key = format or (_mapped_format() if column_map.entries else recognise(source, otherwise))
    if key not in known_importers():
        problem = message(
            "must be one of {accepted}; got {got}",
            accepted=listed(map(_described, known_importers().values())),
            got=sent(key),
        )
        raise ImportFailed(problem, field="format")
    if format and not known_importers()[key].reads_mapped:
        source.complain_of_encoding()
    result = _read(source, key, name, column_map, is_said=bool(format))
    check_amount(result.attempts, source.label)
    count = len(result.attempts)
    shared = [_becomes(count, name)] if name and count > 1 else []
    return replace(result, warnings=[*source.notes, *result.warnings, *shared])


def under_name(result: Import, name: str) -> Import:
    """An import whose attempts become attempts of `name`, unless the file names participants.

    A file of several agents or models stays as it is: nobody has said that they are one.
    """
    names = {one.participant for one in result.attempts}
    if len(names) != 1 or names == {name} or any(one.sent for one in result.attempts):
        return result
    attempts = [replace(one, participant=name) for one in result.attempts]
    warnings = [*result.warnings, _becomes(len(attempts), name)]
    return replace(result, attempts=attempts, warnings=warnings)


def _becomes(count: int, name: str) -> str:
    """The warning that attempts become attempts of a participant that the file does not name."""
    return counted(
        "the only attempt in it becomes an attempt of {name}",
        "all {count} attempts in it become attempts of {name}",
        count,
        name=name,
    )


def _read(source: Source, key: str, name: str, column_map: ColumnMap, *, is_said: bool) -> Import:
    importer = known_importers()[key]
    if importer.reads_mapped:
        return importer.reads_mapped(source, name, column_map)
    if column_map.entries:
        problem = message(
            "must be absent unless the format is a table, whose columns have labels; got {format}",
            format=key,
        )
        raise ImportFailed(problem, field="map")
    if key != STRICT_TABLE or is_said:
        return importer.reads(source, name)
    try:
        result = importer.reads(source, name)
    except Unsafe:
        raise
    except ImportFailed as refused:
        try:
            return _read(source, _mapped_format(), name, column_map, is_said=True)
        except ImportFailed as as_any:
            if as_any.is_question:
                raise as_any from None
            refused.map = as_any.map
            raise refused from None
    if not is_other_table(result, column_map.computed):
        return result
    try:
        return _read(source, _mapped_format(), name, column_map, is_said=True)
    except ImportFailed:
        return result


def _mapped_format() -> str:
    """The format whose columns can be mapped."""
    return next(key for key, importer in known_importers().items() if importer.reads_mapped)


def _any_table(source: Source) -> str:
    key = _mapped_format()
    return key if known_importers()[key].recognises(source) else ""


def _unknown(source: Source) -> str:
    """The error for a file of no format: the nearest formats, and the one for every table."""
    special = [importer for importer in known_importers().values() if not importer.reads_mapped]
    similar = nearest(source, special)
    table = known_importers()[_mapped_format()]
    if not similar:
        return message(
            "must be of a known format or come as {table}; got neither", table=_described(table)
        )
    return message(
        "must be of a known format (nearest: {formats}) or come as {table}; got neither",
        formats=reduce(_both, map(_described, similar)),
        table=_described(table),
    )


def _described(importer: Importer) -> str:
    return message("{key} ({accepts})", key=importer.key, accepts=importer.accepts)


def _both(first: str, second: str) -> str:
    return message("{first} and {second}", first=first, second=second)


def _either(first: str, second: str) -> str:
    return message("{first} or {second}", first=first, second=second)
