"""MLflow: folders of runs as its file store has them, or the table of runs as CSV.

Each run is an attempt; the last value of each metric becomes a reported value. Only the params and
tags that name the model, the agent and the data set are imported, because others may hold prompts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.json_files import require
from leaderboard.importers.reading.json_place import MAX_COUNT, JsonValue
from leaderboard.importers.reading.plain_yaml import scalars
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, in_text, says_nothing
from leaderboard.importers.reading.run_tables import TableRun, by_measure, is_label, tool_runs
from leaderboard.importers.reading.samples import milliseconds
from leaderboard.importers.reading.sheets import SheetRow, columns_of, rows_of
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, importer
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

KEY: Final = "mlflow"
META: Final = "meta.yaml"
TABLES: Final = ("*.csv",)
UI: Final = ("Start Time", "Duration", "Run ID", "Name", "Source Type", "Source Name", "User")
UI_OWN: Final = frozenset((*UI, "Status", "Experiment ID", "Experiment Name"))
SEARCH: Final = ("run_id", "experiment_id", "status", "start_time")
STATUS: Final = {"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}
MAX_LINE: Final = 500


def recognises(source: Source) -> bool:
    """A run's `meta.yaml` beside a folder of metrics, or a table with the columns of runs."""
    if source.single:
        return _is_table(source, source.names[0])
    if any(_is_run(source, folder) for folder in list(_folders(source))[:20]):
        return True
    return any(_is_table(source, name) for name in source.named(*TABLES)[:5])


def runs(upload: Upload) -> Iterator[ToolRun]:
    """Deleted and unfinished runs are left out, with a warning."""
    source, missing = upload.source, message("must contain runs of MLflow; got a file without any")
    require(recognises(source), source, missing)
    return tool_runs("MLflow", list(_runs(source, upload.warnings)), upload.warnings)


def _folders(source: Source) -> Mapping[str, list[str]]:
    """The files of metrics of each folder that has a `meta.yaml`."""
    metas = {name.removesuffix(META) for name in source.names if f"/{name}".endswith(f"/{META}")}
    files: dict[str, list[str]] = {}
    for name in source.names:
        parts = name.split("/")
        for at, part in enumerate(parts[:-1]):
            before = "".join(f"{folder}/" for folder in parts[:at])
            if part == "metrics" and before in metas:
                files.setdefault(before, []).append(name)
                break
    return files


def _is_run(source: Source, folder: str) -> bool:
    about = scalars(source.read(f"{folder}{META}"), f"{folder}{META}")
    return "run_id" in about or "run_uuid" in about


def _is_table(source: Source, name: str) -> bool:
    columns = set(columns_of(source, name))
    by_search = columns.issuperset(SEARCH) and any(
        column.startswith("metrics.") for column in columns
    )
    return by_search or columns.issuperset({"Run ID", "Source Type", "Source Name", "Status"})


def _runs(source: Source, warnings: list[str]) -> Iterator[TableRun]:
    folders = {} if source.single else _folders(source)
    if folders:
        for folder, metrics in folders.items():
            if _is_run(source, folder):
                yield from _of_folder(source, folder, metrics, warnings)
        return
    for name in source.named(*TABLES):
        if source.single or _is_table(source, name):
            yield from _of_table(source, name, warnings)


def _of_folder(
    source: Source, folder: str, metrics: Iterable[str], warnings: list[str]
) -> Iterator[TableRun]:
    file = f"{folder}{META}"
    about = scalars(source.read(file), file)
    if about.get("lifecycle_stage", "active") != "active":
        warnings.append(
            message(
                "left out: the run {value} is deleted", value=legible(about.get("run_name", folder))
            )
        )
        return
    numbers = ReportedNumbers(KEY)
    for name in sorted(metrics):
        label = name.removeprefix(f"{folder}metrics/")
        value = _last(source, name)
        if value is None:
            warnings.append(
                message("{name}: its last value is no number: left out", name=legible(name))
            )
        else:
            numbers.add(JsonValue(None, name).checked(label), value)
    start, end = _milliseconds(about, "start_time", file), _milliseconds(about, "end_time", file)
    yield TableRun(
        file=file,
        id=about.get("run_id") or about.get("run_uuid", ""),
        name=about.get("run_name") or _text(source, f"{folder}tags/mlflow.runName"),
        status=STATUS.get(about.get("status", ""), about.get("status", "")),
        numbers=numbers,
        params={
            label: _text(source, f"{folder}params/{label}")
            for label in _named(source, f"{folder}params/")
        },
        started=None if start is None else datetime.fromtimestamp(start / 1000, UTC),
        elapsed_ms=None if start is None or end is None else max(0, end - start),
    )


def _named(source: Source, folder: str) -> list[str]:
    """The params that name the model, agent and data set; others are not read."""
    names = (name.removeprefix(folder) for name in source.names if name.startswith(folder))
    return [name for name in names if is_label(name)]


def _text(source: Source, name: str) -> str:
    return source.read(name).decode("utf-8", "replace").strip() if name in source else ""


def _milliseconds(about: Mapping[str, str], key: str, file: str) -> int | None:
    text = about.get(key, "")
    if not text:
        return None
    if not text.isdecimal() or len(text) > 15 or int(text) > MAX_COUNT // 10:
        problem = message("must be milliseconds since 1970; got {got}", got=sent(text))
        raise ImportFailed(problem, file=file, place=key)
    return int(text)


def _last(source: Source, name: str) -> float | None:
    """The value of the highest step, as in MLflow; None if it is NaN or infinite.

    A line is `timestamp value step`, without a step in old files and with further fields in new
    ones.
    """
    best: tuple[int, int, float] | None = None
    latest: float | None = None
    for number, line in source.lines(name):
        cells = line[:MAX_LINE].decode("utf-8", "replace").split()
        if len(cells) < 2:
            problem = message(
                "must be `timestamp value step`; got {got}", got=sent(" ".join(cells))
            )
            raise ImportFailed(problem, file=name, line=number)
        value = in_text(cells[1])
        if value is None and not says_nothing(cells[1]):
            problem = message("must have a number as its value; got {got}", got=sent(cells[1]))
            raise ImportFailed(problem, file=name, line=number)
        key = _order(cells, name, number)
        ordered = (*key, float("-inf") if value is None else value)
        if best is None or ordered > best:
            best, latest = ordered, value
    return latest


def _order(cells: list[str], name: str, number: int) -> tuple[int, int]:
    """Step and time of a line."""
    texts = cells[2] if len(cells) > 2 else "0", cells[0]
    if not all(text.lstrip("-").isdecimal() and len(text) < 20 for text in texts):
        raise ImportFailed(
            message(
                "must have whole numbers as its timestamp and step; got {time} and {step}",
                time=sent(texts[1]),
                step=sent(texts[0]),
            ),
            file=name,
            line=number,
        )
    return int(texts[0]), int(texts[1])


def _of_table(source: Source, name: str, warnings: list[str]) -> Iterator[TableRun]:
    has_warned = False
    for row in rows_of(source, name):
        if "run_id" in row.columns:
            yield _searched(row)
        else:
            if not has_warned:
                warnings.append(
                    message(
                        "{name}: this table does not tell params from metrics; every column of "
                        "numbers becomes a value",
                        name=legible(name),
                    )
                )
            has_warned = True
            yield _exported(row)


def _searched(row: SheetRow) -> TableRun:
    """A row of `mlflow experiments csv` or of `search_runs`."""
    numbers = ReportedNumbers(KEY)
    params = {}
    for column in row.columns:
        kind, _, label = column.partition(".")
        text = row.text(column)
        if kind == "metrics" and not says_nothing(text):
            if (value := in_text(text)) is None:
                raise row.part(column).fail(message("must be a number"))
            numbers.add(label, value)
        elif kind == "params" and is_label(label):
            params[label] = text
    start, end = row.part("start_time").moment(), row.part("end_time").moment()
    seconds = None if start is None or end is None else max(0.0, (end - start).total_seconds())
    return TableRun(
        file=row.file,
        id=row.text("run_id"),
        name=row.text("tags.mlflow.runName"),
        status=row.text("status"),
        numbers=numbers,
        params=params,
        started=start,
        elapsed_ms=milliseconds(seconds),
    )


def _exported(row: SheetRow) -> TableRun:
    """A row of the table that the page of an experiment exports."""
    numbers = ReportedNumbers(KEY)
    params = {}
    for column in row.columns:
        text = row.text(column)
        if is_label(column):
            params[column] = text
        elif column not in UI_OWN and (value := in_text(_plain(text))) is not None:
            numbers.add(column, value)
    return TableRun(
        file=row.file,
        id=row.text("Run ID"),
        name=row.text("Name"),
        status=row.text("Status"),
        numbers=numbers,
        params=params,
    )


def _plain(text: str) -> str:
    """A cell without the quote that MLflow puts before a sign, against formulas."""
    return text[1:] if text[:2] in ("'-", "'+") else text


IMPORTER = importer(
    KEY,
    message("MLflow runs"),
    message("folders of runs as zip or tar, or the table of runs as CSV"),
    recognises,
    runs,
    missing=message("must contain a finished run with a metric; got a file without any"),
    suggests=by_measure,
)
