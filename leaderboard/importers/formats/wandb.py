"""Weights & Biases: the table of runs as CSV, a run's `wandb-summary.json`, or its history.

Each run is an attempt; its numbers become reported values, the last one of each in a history. The
table does not distinguish configured from measured values. Only texts that name the model, the
agent and the data set are imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.json_files import require
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.plain_yaml import scalars
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, in_text, nested
from leaderboard.importers.reading.run_tables import TableRun, by_measure, is_label, tool_runs
from leaderboard.importers.reading.sheets import SheetRow, columns_of, rows_of
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, importer
from leaderboard.rules.texts.messages import message

KEY: Final = "wandb"
SUMMARY: Final = "wandb-summary.json"
HISTORY: Final = ("wandb-history.jsonl", "history*.jsonl", "history*.json")
CONFIG: Final = "config.yaml"
NAMES: Final = (SUMMARY, "*.csv", *HISTORY)
OWN: Final = frozenset(
    (
        *("Name", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep", "ID", "Group"),
        *("Job Type", "Updated", "End Time", "Hostname", "Description", "Commit", "GitHub"),
        *("GPU Count", "GPU Type"),
    )
)
"""Columns that W&B itself adds."""
SIGNATURE: Final = frozenset({"Name", "State", "Created", "Runtime"})
"""Columns by which the table is known, with one of the next."""
SIGNED: Final = frozenset({"Sweep", "Tags", "User", "Notes"})
MARKS: Final = ("_step", "_runtime", "_timestamp", "_wandb")


def recognises(source: Source) -> bool:
    """A table with the columns of runs, or objects with W&B's own numbers."""
    if source.single:
        document = source.document
        if document is not None:
            return _kind(document.value) != ""
        return _are_steps([row.value for row in source.rows]) or _is_table(source, source.names[0])
    return any(_is_one(source, name) for name in source.named(*NAMES)[:20])


def runs(upload: Upload) -> Iterator[ToolRun]:
    """Unfinished runs are left out, with a warning."""
    source = upload.source
    require(recognises(source), source, message("must contain W&B runs; got a file without any"))
    table_runs = (
        run
        for name in source.named(*NAMES)
        if source.single or _is_one(source, name)
        for run in _runs(source, name, upload.warnings)
    )
    return tool_runs("W&B", table_runs, upload.warnings)


def _kind(value: Any) -> str:
    """`summary`, `history` (a list of steps), or ""."""
    if isinstance(value, list):
        return "history" if _are_steps(value[:5]) else ""
    return "summary" if _is_summary(value) else ""


def _is_summary(value: Any) -> bool:
    return isinstance(value, dict) and ("_wandb" in value or sum(m in value for m in MARKS) > 1)


def _are_steps(rows: list[Any]) -> bool:
    return bool(rows) and all(_is_summary(row) and "_step" in row for row in rows)


def _is_table(source: Source, name: str) -> bool:
    columns = columns_of(source, name)
    return SIGNATURE.issubset(columns) and not SIGNED.isdisjoint(columns)


def _is_one(source: Source, name: str) -> bool:
    if name.endswith(".csv"):
        return _is_table(source, name)
    if name.endswith(".jsonl"):
        return _are_steps([row.value for row in source.peek(name)])
    part = source.try_json(name)
    return part is not None and _kind(part.value) != ""


def _runs(source: Source, name: str, warnings: list[str]) -> Iterator[TableRun]:
    if _is_table(source, name):
        warnings.append(
            message(
                "{name}: this table does not tell what was configured from what was measured; "
                "every column of numbers becomes a value",
                name=legible(name),
            )
        )
        yield from map(_of_row, rows_of(source, name))
        return
    document = source.try_json(name)
    if document is None:
        yield _of_steps(source, name, (parse(line, name, at) for at, line in source.lines(name)))
    elif _kind(document.value) == "history":
        yield _of_steps(source, name, document.items())
    else:
        yield _of_summary(source, name, document)


def _of_row(row: SheetRow) -> TableRun:
    numbers = ReportedNumbers(KEY)
    params = {}
    for column in row.columns:
        text = row.text(column)
        if is_label(column):
            params[column] = text
        elif column and column not in OWN and (value := in_text(text)) is not None:
            numbers.add(column, value)
    seconds = in_text(row.text("Runtime"))
    return TableRun(
        file=row.file,
        id=row.text("ID") or f"{row.text('Name')} {row.text('Created')}",
        name=row.text("Name"),
        status=row.text("State"),
        numbers=numbers,
        params=params,
        started=row.part("Created").moment(),
        elapsed_ms=None if seconds is None or not 0 <= seconds < 10**10 else round(seconds * 1000),
    )


def _of_steps(source: Source, name: str, steps: Iterator[JsonValue]) -> TableRun:
    """The last number of each key."""
    last: dict[str, float] = {}
    for step in steps:
        for key, part in step.fields():
            if part.finite() is not None:
                last[key] = part.value
    return _of_summary(source, name, JsonValue(last, name))


def _of_summary(source: Source, name: str, summary: JsonValue) -> TableRun:
    numbers = ReportedNumbers(KEY)
    for label, value in nested(summary):
        if not label.startswith("_"):
            numbers.add(label, value)
    seconds, time = summary["_runtime"].finite(), summary["_timestamp"].finite()
    about = _config(source, name)
    return TableRun(
        file=name,
        id=f"{time}",
        name=about.pop("", ""),
        status="",
        numbers=numbers,
        params=about,
        started=_moment(time),
        elapsed_ms=None if seconds is None or not 0 <= seconds < 10**10 else round(seconds * 1000),
    )


def _moment(time: float | None) -> datetime | None:
    """When the last number was logged; None if it is not a plausible time."""
    return None if time is None or not 0 < time < 10**10 else datetime.fromtimestamp(time, UTC)


def _config(source: Source, name: str) -> dict[str, str]:
    """The fields of `config.yaml` that identify the run; its folder's name under ""."""
    texts = {"": name.rpartition("/files/")[0].rpartition("/")[2]} if "/files/" in name else {}
    if not (beside := source.beside(name, CONFIG)):
        return texts
    for key, text in scalars(source.read(beside), beside).items():
        label = key.removesuffix(".value")
        if is_label(label) and text:
            texts[label] = text
    return texts


IMPORTER = importer(
    KEY,
    message("Weights & Biases"),
    message("the table of runs as CSV, a wandb-summary.json, or a history"),
    recognises,
    runs,
    missing=message("must contain a finished run with a number; got a file without any"),
    suggests=by_measure,
)
