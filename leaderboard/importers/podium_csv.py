"""Tables: an attempt a row, or a sample a row.

With a column `task` each row is a sample and every column that is not known is a reward; an
empty cell is an undefined reward, `null` is one that was not scored, and a row without any reward
is a failed sample. Without it each row is an attempt and such columns are values.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from leaderboard.importers import podium_fields
from leaderboard.importers.errors import ImportFailed
from leaderboard.importers.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.naming import source_id
from leaderboard.importers.part import Part
from leaderboard.importers.samples import facts, sample, suggested
from leaderboard.importers.source import BOM, Source
from leaderboard.rules.documents import ACTUAL, ID

KEY: Final = "podium-csv"
DELIMITERS: Final = (",", ";", "\t")
PERSON, TASK, SAMPLE, ERROR, TIME, META = (
    "participant",
    "task",
    "sample",
    "error",
    "submitted_at",
    "meta.",
)
SWITCHES: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
NOT_SCORED: Final = "null"
NAMES: Final = ("*.csv", "*.tsv")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")

Row = dict[str, Part]


def recognises(source: Source) -> bool:
    """A first line that is a header with `participant` or `task` in it, and not of outputs."""
    names = source.named(*NAMES)
    if len(names) != 1:
        return False
    first = next(source.lines(names[0]), (0, b""))[1][:10_000]
    columns = _header(first)[1]
    return columns != [] and not {ID, ACTUAL} <= set(columns)


def reads(source: Source, participant: str) -> Import:
    """The attempts of a table. Raises ImportFailed with line and column."""
    names = source.named(*NAMES)
    if len(names) != 1:
        raise ImportFailed(f"must hold one table, not {len(names)}", file=source.label)
    rows = list(_rows(names[0], source.read(names[0])))
    if not rows:
        raise ImportFailed("holds no row below its header", file=names[0])
    read = _sampled if TASK in rows[0] else _plain
    attempts = read(rows, participant)
    return Import(KEY, attempts, suggested=suggested(attempts))


def _header(line: bytes) -> tuple[str, list[str]]:
    """The delimiter and the columns of a header, ("", []) when it is none."""
    text = line.removeprefix(BOM).decode("utf-8", "replace").strip()
    for delimiter in DELIMITERS:
        try:
            columns = next(csv.reader([text], delimiter=delimiter, strict=True), [])
        except csv.Error:
            continue
        names = [each.strip() for each in columns]
        if len(names) > 1 and (PERSON in names or TASK in names):
            return delimiter, names
    return "", []


def _rows(file: str, content: bytes) -> Iterator[Row]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportFailed(f"must be UTF-8; byte {error.start} is not", file=file) from None
    start = len(text) - len(text.lstrip())
    delimiter, columns = _header(text[start:].partition("\n")[0].encode())
    _check_header(file, columns)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or ",", strict=True)
    seen_header = False
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if seen_header:
                yield _row(file, reader.line_num, columns, cells)
            seen_header = True
    except csv.Error as error:
        raise ImportFailed(f"is no CSV: {error}", file=file, line=reader.line_num) from None


def _check_header(file: str, columns: list[str]) -> None:
    if not columns:
        raise ImportFailed(
            f"must begin with a header that has a column {PERSON} or {TASK}", file=file, line=1
        )
    for name, count in Counter(columns).items():
        Part(name, file, 1, ("header",)).name()
        if count > 1:
            raise ImportFailed(f"has the column {name!r} twice", file=file, line=1)


def _row(file: str, line: int, columns: list[str], cells: list[str]) -> Row:
    if len(cells) != len(columns):
        raise ImportFailed(
            f"has {len(cells)} cells; the header has {len(columns)}", file=file, line=line
        )
    values = (cell.strip() or None for cell in cells)
    return {
        name: Part(value, file, line, (name,)) for name, value in zip(columns, values, strict=True)
    }


def _number(cell: Part) -> Part:
    """A cell as the number that it holds."""
    text = cell.value
    if text is None:
        return cell
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        raise cell.fail("must be a number")
    return Part(float(text), cell.file, cell.line, cell.path)


def _read(cells: Mapping[str, Part], readers: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: readers[name](_typed(cell)) for name, cell in cells.items() if name in readers}
    return {name: value for name, value in found.items() if value is not None}


def _typed(cell: Part) -> Part:
    if cell.path == ("succeeded",) and cell.value is not None:
        if cell.value.lower() not in SWITCHES:
            raise cell.fail("must be true or false")
        return Part(SWITCHES[cell.value.lower()], cell.file, cell.line, cell.path)
    return _number(cell)


def _plain(rows: list[Row], participant: str) -> list[ImportedAttempt]:
    """An attempt a row."""
    seen: Counter[str] = Counter()
    attempts = []
    for row in rows:
        identity = source_id(KEY, {name: cell.value for name, cell in row.items()})
        seen[identity] += 1
        known = (PERSON, TIME, *podium_fields.FACTS)
        others = {
            name: _number(cell).number()
            for name, cell in row.items()
            if name not in known and not name.startswith(META)
        }
        attempts.append(
            ImportedAttempt(
                participant=participant or _participant(row),
                sent=_sent(row),
                source_id=f"{identity}:{seen[identity]}",
                meta=_meta(row),
                values={name: value for name, value in others.items() if value is not None},
                metrics=_read(row, podium_fields.FACTS),
                submitted_at=_moment(row),
            )
        )
    return attempts


def _sampled(rows: list[Row], participant: str) -> list[ImportedAttempt]:
    """A sample a row; the rows of one participant in the table are one attempt."""
    whose: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        whose[_participant(row) if PERSON in row else participant].append(row)
    if "" in whose:
        _participant(rows[0])
    return [_one(participant or name, each) for name, each in whose.items()]


def _one(participant: str, rows: list[Row]) -> ImportedAttempt:
    found: dict[tuple[str, int], dict[str, Any]] = {}
    seen: Counter[str] = Counter()
    for row in rows:
        task = row[TASK].name()
        given = _number(row[SAMPLE]).count() if SAMPLE in row else None
        at = seen[task] if given is None else given
        seen[task] += 1
        if (task, at) in found:
            raise row[TASK].fail(f"has sample {at} a second time")
        found[task, at] = {**_sample(task, row), "sample": at}
    samples = list(found.values())
    cells = [{name: cell.value for name, cell in row.items()} for row in rows]
    return ImportedAttempt(
        participant=participant,
        sent=_sent(rows[0]),
        source_id=source_id(KEY, cells),
        meta=_meta(rows[0]),
        samples=samples,
        metrics=facts(samples),
        submitted_at=max((time for row in rows if (time := _moment(row))), default=None),
    )


def _sample(task: str, row: Row) -> dict[str, Any]:
    known = (PERSON, TASK, SAMPLE, ERROR, TIME, *podium_fields.USAGE)
    cells = {
        name: cell
        for name, cell in row.items()
        if name not in known and not name.startswith(META) and cell.value is not None
    }
    rewards = {
        name: None if cell.value == NOT_SCORED else _number(cell).number()
        for name, cell in cells.items()
    }
    error = row[ERROR].words() if ERROR in row else ""
    return sample(task, rewards or None, _read(row, podium_fields.USAGE), error)


def _participant(row: Row) -> str:
    if PERSON not in row:
        cell = next(iter(row.values()))
        raise ImportFailed(
            f"has no column {PERSON}; add it, or give the participant with the upload",
            file=cell.file,
        )
    return podium_fields.participant(row[PERSON])


def _sent(row: Row) -> str:
    """The participant as the table writes it."""
    return str(row[PERSON].value or "") if PERSON in row else ""


def _moment(row: Row) -> datetime | None:
    return podium_fields.moment(row[TIME]) if TIME in row else None


def _meta(row: Row) -> dict[str, str]:
    return {
        name.removeprefix(META): cell.name()
        for name, cell in row.items()
        if name.startswith(META) and cell.value is not None and name != META
    }


IMPORTER = Importer(
    KEY,
    "Table",
    "a CSV with participant and values, or with task, sample and reward",
    recognises,
    reads,
)
