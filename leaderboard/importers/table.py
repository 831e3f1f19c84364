"""Any table: a CSV, a TSV or an Excel sheet, with a row for each participant or each sample.

The uses of its columns are guessed from their labels and cells, unless the user gives them
(`leaderboard.importers.tables.uses`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Final

from leaderboard.facts import known_facts
from leaderboard.importers.column_use import ColumnUse
from leaderboard.importers.errors import ImportFailed, located
from leaderboard.importers.imports import (
    ColumnMap,
    Import,
    ImportedAttempt,
    Importer,
)
from leaderboard.importers.samples import suggested
from leaderboard.importers.source import Source
from leaderboard.importers.suggestions import SuggestedColumn, SuggestedFields
from leaderboard.importers.tables.attempts import KEY, attempts_of
from leaderboard.importers.tables.cells import Decimal, number_in, value_of
from leaderboard.importers.tables.grid import Grid, grid_of, looks_like_a_table
from leaderboard.importers.tables.guessing import (
    MAX_VALUES,
    direction_of,
    guessed,
    key_of,
    label_of,
)
from leaderboard.importers.tables.profiles import Profile, profiles_of
from leaderboard.importers.tables.reading import TableReader
from leaderboard.importers.tables.sheets import is_workbook, sheet_rows
from leaderboard.importers.tables.texts import TableRow, rows_of, text_of
from leaderboard.importers.tables.uses import Use, check_uses, parse_map, wrong
from leaderboard.rules.messages import counted, listed, message

PATTERNS: Final = ("*.csv", "*.tsv", "*.txt", "*.xlsx", "*.md")
MAX_LABEL: Final = 60
OF_NUMBERS: Final = (
    "value",
    "reward",
    *(key for key, fact in known_facts().items() if fact.kind == "number"),
)
"""Uses with numbers that may have decimals; a warning says how ambiguous ones are read."""
_ZIP: Final = b"PK\x03\x04"


def recognises(source: Source) -> bool:
    """A workbook, a .csv or .tsv, or a text with a header and a row with a number below it."""
    try:
        if is_workbook(source):
            return True
        names = _names(source)
        if len(names) != 1:
            return False
        if _is_packed(source, names[0]):
            with _unpacked(source, names[0]) as inner:
                return is_workbook(inner)
        with closing(source.pieces(names[0])) as pieces:
            if next(pieces, b"").lstrip()[:1] in (b"{", b"["):
                return False
        rows = rows_of(text_of(source, names[0]), names[0])
        return _is_called_a_table(source) or looks_like_a_table(islice(rows, 30))
    except ImportFailed:
        return False


def _is_called_a_table(source: Source) -> bool:
    """Whether its name says so; the reader then reports what is missing in it."""
    return source.label.casefold().endswith((".csv", ".tsv"))


def reads(source: Source, participant: str) -> Import:
    """The attempts of a table without given column uses."""
    return reads_mapped(source, participant, ColumnMap())


def reads_mapped(source: Source, participant: str, said: ColumnMap) -> Import:
    """The attempts of a table. Raises ImportFailed with line and column, or with `map`."""
    if is_workbook(source):
        return _of_workbook(source, participant, said)
    names = _names(source)
    if len(names) != 1:
        raise ImportFailed(
            message("must hold one table; got {count}", count=len(names)), file=source.label
        )
    if _is_packed(source, names[0]):
        with _unpacked(source, names[0]) as inner:
            return _of_workbook(inner, participant, said)
    text = text_of(source, names[0])
    notes = (
        [message("its text is read as {encoding}", encoding=text.encoding)] if text.encoding else []
    )
    return _read(rows_of(text, names[0]), names[0], participant, said, notes)


def _names(source: Source) -> list[str]:
    return source.named(*PATTERNS)


def _is_packed(source: Source, name: str) -> bool:
    return next(iter(source.pieces(name)), b"").startswith(_ZIP)


def _unpacked(source: Source, name: str) -> Source:
    """A workbook in an archive."""
    return Source.open(io.BytesIO(source.read(name)), name)


def _of_workbook(source: Source, participant: str, said: ColumnMap) -> Import:
    if not is_workbook(source):
        raise ImportFailed(
            message("must be a text or an Excel workbook; got another file"), file=source.label
        )
    notes, rows = sheet_rows(source)
    return _read(rows, source.label, participant, said, notes, ".")


def _read(
    rows: Iterator[TableRow],
    file: str,
    participant: str,
    said: ColumnMap,
    notes: Sequence[str],
    decimal: Decimal = "",
) -> Import:
    grid = grid_of(rows, file)
    profiles = profiles_of(grid, decimal)
    given = parse_map(said.entries, [each.label for each in profiles])
    uses = guessed(profiles, given, said.computed)
    columns = tuple(_use(each, uses[each.label], given) for each in profiles)
    reader = TableReader(grid, profiles, uses, file)
    try:
        _check(uses, participant)
        attempts = attempts_of(reader, participant)
    except ImportFailed as refused:
        refused.map = columns
        raise
    return Import(
        KEY,
        attempts,
        warnings=[*notes, *_told(grid, profiles, uses, given), *reader.warnings],
        suggested=_suggested(attempts, profiles, uses),
        map=columns,
    )


def _check(uses: Mapping[str, Use], participant: str) -> None:
    check_uses(uses)
    kinds = {use.kind for use in uses.values()}
    if "participant" not in kinds and not participant:
        there = ", ".join(map(repr, uses))[:300]
        raise wrong(
            message(
                "must say with COLUMN=participant which column is the participant, or "
                "the upload must give the participant; got the columns {columns}",
                columns=there,
            )
        )
    if not kinds - {"participant", "ignore", "meta", "name", "kind", "note", "sample", "error"}:
        raise wrong(
            message(
                "must say with COLUMN=value which column is a value, a reward or a fact; got none"
            )
        )


def _told(
    grid: Grid, profiles: Sequence[Profile], uses: Mapping[str, Use], given: Mapping[str, Use]
) -> Iterator[str]:
    """The warnings about how the table was read."""
    if grid.above:
        yield counted(
            "{count} row above its header is left out",
            "{count} rows above it are left out",
            grid.above,
        )
    left_out = [
        each.label
        for each in profiles
        if uses[each.label].kind == "ignore" and each.label not in given and each.filled
    ]
    if len([use for use in uses.values() if use.kind == "value"]) >= MAX_VALUES and left_out:
        yield message(
            "an attempt has at most {most} values; further columns are left out",
            most=MAX_VALUES,
        )
    for each in profiles:
        if uses[each.label].kind in ("value", "reward") and (mixed := _mixed(each)):
            yield located(each.label, mixed)
    for each in profiles:
        use, key = uses[each.label], key_of(each.label)
        if use.kind == "value" and each.label not in given and use.name == f"reported_{key}":
            yield message(
                "{key} means a metric or a fact here, so the column’s numbers are kept as {name}",
                key=key,
                name=use.name,
            )


def _use(each: Profile, use: Use, given: Mapping[str, Use]) -> ColumnUse:
    is_number = use.kind in OF_NUMBERS
    return ColumnUse(
        each.label,
        str(use),
        each.label not in given,
        tuple(each.examples),
        listed(_notes(each), by="; ") if is_number else _date_note(each, use),
    )


def _notes(each: Profile) -> Iterator[str]:
    """How ambiguous numbers of a column are read, as a warning."""
    if each.doubtful:
        number = number_in(each.doubtful)
        value = value_of(number, each.decimal) if number else None
        yield message("{text} is read as {value:.12g}", text=each.doubtful, value=value)
    elif each.decimal == "," and each.decimals[","]:
        yield message("decimal comma")
    if each.decimals[","] and each.decimals["."]:
        yield message("some cells have a decimal comma and some a point")
    if each.spreads:
        yield message("what follows ± or stands in brackets is left out")
    if each.scaled:
        yield message("k, M and B are thousands, millions and billions")
    if mixed := _mixed(each):
        yield mixed
    elif each.unit:
        yield message("in {unit}", unit=each.unit)
    if each.shares:
        yield message("9/12 is 0.75")
    if each.counts["switch"]:
        yield message("yes is 1, no is 0")


def _mixed(each: Profile) -> str:
    """The warning about numbers of which only some have a unit."""
    if not each.unit or not each.units[""]:
        return ""
    return message(
        "some cells have {unit} and some do not; all numbers are kept as written", unit=each.unit
    )


def _date_note(each: Profile, use: Use) -> str:
    if use.kind == "submitted_at" and each.orders[""] and len(each.orders) == 1:
        return (
            message("the day comes first")
            if each.order == "day"
            else message("the month comes first")
        )
    return ""


def _suggested(
    attempts: Sequence[ImportedAttempt], profiles: Sequence[Profile], uses: Mapping[str, Use]
) -> SuggestedFields:
    """Fields of a challenge that fit: the columns of its board have the labels of the table."""
    columns: list[SuggestedColumn] = []
    for each in profiles:
        use = uses[each.label]
        if use.kind == "value":
            column: SuggestedColumn = {
                "key": use.name,
                "label": label_of(each.label)[:MAX_LABEL].strip(),
                "direction": direction_of(each.label),
            }
            columns.append({**column, "unit": each.unit[:12]} if each.unit else column)
    fields = suggested(attempts)
    if not columns:
        return fields
    if "metrics" not in fields:
        first = columns[0]
        fields["rank_by"] = [{"key": first["key"], "direction": first["direction"]}]
    return {**fields, "columns": columns}


IMPORTER = Importer(
    KEY,
    message("Table by columns"),
    message(
        "a CSV, TSV or Excel sheet with a row for each participant or sample, mapped by its columns"
    ),
    recognises,
    reads,
    reads_mapped,
)
