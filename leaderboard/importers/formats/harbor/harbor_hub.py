"""Boards of Harbor's hub: rows with `metadata` and `metrics`, as reported values.

The hub has no fixed name for the entry of a row: the first text of its metadata that names an
entry, an agent or a model does. Rows that the hub hides are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, nested, ranked_by
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.reading.tool import ToolRun, Upload, importer
from leaderboard.rules.texts.messages import counted, message

KEY: Final = "harbor-hub"
NAMES: Final = ("entry", "name", "agent_display_name", "agent_name", "agent", "model")
DATES: Final = ("date", "submitted_at", "created_at")
ACCESSOR: Final = "metrics."


def _is_board(document: JsonValue) -> bool:
    rows = document["rows"].value
    if not isinstance(rows, list) or not rows or not isinstance(rows[0], dict):
        return False
    return "metadata" in rows[0] and "metrics" in rows[0]


FILES: Final = JsonFiles(_is_board, marks=(b'"metrics"', b'"metadata"'))


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each row that the hub shows."""
    hidden = 0
    for document in upload.documents(FILES):
        order = _order(document)
        for row in document["rows"].items():
            if row["status"].value == "hide":
                hidden += 1
            elif run := _run(row, order):
                yield run
    if hidden:
        upload.warnings.append(
            counted("{count} hidden row is left out", "{count} hidden rows are left out", hidden)
        )


def _order(document: JsonValue) -> list[str]:
    """What the hub ranks by, with `-` before what is better when it is lower."""
    keys = document.at("leaderboard.rank_by").items() if "leaderboard" in document else ()
    return [
        ("-" if key["direction"].value == "asc" else "") + accessor.removeprefix(ACCESSOR)
        for key in keys
        if (accessor := key["accessor"].words()).startswith(ACCESSOR)
    ]


def _run(row: JsonValue, order: Sequence[str]) -> ToolRun | None:
    numbers = ReportedNumbers(KEY)
    for label, value in nested(row["metrics"]):
        numbers.add(label, value)
    if not numbers.values:
        return None
    about = row["metadata"]
    meta = {name: part.words() for name, part in about.fields() if isinstance(part.value, str)}
    called = next((meta[name] for name in NAMES if meta.get(name)), "")
    moment = next((about[name].moment() for name in DATES if name in about), None)
    return ToolRun(
        row.file,
        (called, sorted(numbers.values.items()), sorted(meta.items())),
        {name: text for name, text in meta.items() if name not in (*DATES, "agent", "model")},
        numbers=numbers,
        submitted_at=moment,
        called=called,
        order=order,
    )


def suggested(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    """The reported values, ranked as the hub ranks."""
    labels = runs[0].numbers.labels if runs[0].numbers else {}
    key_of = {label: key for key, label in labels.items()}
    order = [name for name in runs[0].order if name.removeprefix("-") in key_of]
    first = key_of[order[0].removeprefix("-")] if order else ""
    fields = ranked_by(labels, first)
    if order:
        fields["rank_by"] = [
            {
                "key": key_of[name.removeprefix("-")],
                "direction": "asc" if name.startswith("-") else "desc",
            }
            for name in order
        ]
    return fields


IMPORTER = importer(
    KEY,
    message("Harbor hub"),
    message("a board of Harbor's hub with its rows"),
    FILES.recognise,
    runs,
    missing=message("must contain rows of a board of Harbor's hub; got a file without any"),
    suggests=suggested,
)
