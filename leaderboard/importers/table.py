"""Any table: a CSV, a TSV or an Excel sheet, with a row for each participant or each sample.

What its columns are for is guessed from their labels and cells, and can be said instead, column
by column (`leaderboard.importers.tables.uses`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Final

from leaderboard.facts import known_facts
from leaderboard.importers.errors import ImportFailed
from leaderboard.importers.imports import (
    ColumnMap,
    ColumnUse,
    Import,
    ImportedAttempt,
    Importer,
)
from leaderboard.importers.samples import suggested
from leaderboard.importers.source import Source
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

PATTERNS: Final = ("*.csv", "*.tsv", "*.txt", "*.xlsx", "*.md")
MAX_LABEL: Final = 60
OF_NUMBERS: Final = (
    "value",
    "reward",
    *(key for key, fact in known_facts().items() if fact.kind == "number"),
)
"""Uses of columns with numbers that may have decimals, so that it is said how they are read."""
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
    """Whether its name says so: then the reader tells what is missing in it."""
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
        raise ImportFailed(f"must hold one table, not {len(names)}", file=source.label)
    if _is_packed(source, names[0]):
        with _unpacked(source, names[0]) as inner:
            return _of_workbook(inner, participant, said)
    text = text_of(source, names[0])
    notes = [f"its text is read as {text.encoding}"] if text.encoding else []
    return _read(rows_of(text, names[0]), names[0], participant, said, notes)


def _names(source: Source) -> list[str]:
    return source.named(*PATTERNS)


def _is_packed(source: Source, name: str) -> bool:
    return next(iter(source.pieces(name)), b"").startswith(_ZIP)


def _unpacked(source: Source, name: str) -> Source:
    """A workbook that stands in an archive."""
    return Source.open(io.BytesIO(source.read(name)), name)


def _of_workbook(source: Source, participant: str, said: ColumnMap) -> Import:
    if not is_workbook(source):
        raise ImportFailed("is no table: neither text nor an Excel workbook", file=source.label)
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
        text = "no column says who the participant is; say which with COLUMN=participant"
        raise wrong(f"{text}, or give the participant with the upload; the columns are {there}")
    if not kinds - {"participant", "ignore", "meta", "name", "kind", "note", "sample", "error"}:
        raise wrong("no column is a value, a reward or a fact; say which with COLUMN=value")


def _told(
    grid: Grid, profiles: Sequence[Profile], uses: Mapping[str, Use], given: Mapping[str, Use]
) -> Iterator[str]:
    """What a reader should know of how the table was read."""
    if grid.above:
        rows = "1 row above its header is" if grid.above == 1 else f"{grid.above} rows above it are"
        yield f"{rows} left out"
    left_out = [
        each.label
        for each in profiles
        if uses[each.label].kind == "ignore" and each.label not in given and each.filled
    ]
    if len([use for use in uses.values() if use.kind == "value"]) >= MAX_VALUES and left_out:
        yield f"an attempt has at most {MAX_VALUES} values; further columns are left out"
    for each in profiles:
        if uses[each.label].kind in ("value", "reward") and (mixed := _mixed(each)):
            yield f"{each.label}: {mixed}"
    for each in profiles:
        use, key = uses[each.label], key_of(each.label)
        if use.kind == "value" and each.label not in given and use.name == f"reported_{key}":
            means = f"{key} means a metric or a fact here"
            yield f"{means}, so the column’s numbers are kept as {use.name}"


def _use(each: Profile, use: Use, given: Mapping[str, Use]) -> ColumnUse:
    is_number = use.kind in OF_NUMBERS
    return ColumnUse(
        each.label,
        str(use),
        each.label not in given,
        tuple(each.examples),
        "; ".join(_notes(each)) if is_number else _date_note(each, use),
    )


def _notes(each: Profile) -> Iterator[str]:
    """How the cells of a column of numbers are read, where that is not plain."""
    if each.doubtful:
        number = number_in(each.doubtful)
        value = value_of(number, each.decimal) if number else None
        yield f"{each.doubtful} is read as {value:.12g}"
    elif each.decimal == "," and each.decimals[","]:
        yield "decimal comma"
    if each.decimals[","] and each.decimals["."]:
        yield "some cells have a decimal comma and some a point"
    if each.spreads:
        yield "what follows ± or stands in brackets is left out"
    if each.scaled:
        yield "k, M and B are thousands, millions and billions"
    if mixed := _mixed(each):
        yield mixed
    elif each.unit:
        yield f"in {each.unit}"
    if each.shares:
        yield "9/12 is 0.75"
    if each.counts["switch"]:
        yield "yes is 1, no is 0"


def _mixed(each: Profile) -> str:
    """What to say of numbers of which only some have a unit."""
    if not each.unit or not each.units[""]:
        return ""
    return f"some cells have {each.unit} and some do not; all numbers are kept as written"


def _date_note(each: Profile, use: Use) -> str:
    if use.kind == "submitted_at" and each.orders[""] and len(each.orders) == 1:
        return f"the {each.order} comes first"
    return ""


def _suggested(
    attempts: Sequence[ImportedAttempt], profiles: Sequence[Profile], uses: Mapping[str, Use]
) -> dict[str, Any]:
    """Fields of a challenge that fit: the columns of its board have the labels of the table."""
    columns = []
    for each in profiles:
        use = uses[each.label]
        if use.kind == "value":
            column = {"key": use.name, "label": label_of(each.label)[:MAX_LABEL].strip()}
            unit = {"unit": each.unit[:12]} if each.unit else {}
            columns.append({**column, **unit, "direction": direction_of(each.label)})
    fields = suggested(attempts)
    if not columns:
        return fields
    if "metrics" not in fields:
        fields["rank_by"] = [{key: columns[0][key] for key in ("key", "direction")}]
    return {**fields, "columns": columns}


IMPORTER = Importer(
    KEY,
    "Table by columns",
    "a CSV, TSV or Excel sheet with a row for each participant or sample, mapped by its columns",
    recognises,
    reads,
    reads_mapped,
)
