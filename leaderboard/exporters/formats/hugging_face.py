"""Results for the pages of models on Hugging Face: `.eval_results/*.yaml`, a file for each row.

Source: the documentation of the hub, *Evaluation Results*. The format has one number per task and
data set, and no direction: columns where less is better are left out.
"""

from __future__ import annotations

import json

from leaderboard.exporters.archive import zipped
from leaderboard.exporters.board import BoardOutline, ExportedBoard, ExportedColumn, ExportedRow
from leaderboard.exporters.exporter import CannotExport, Exporter
from leaderboard.exporters.names import hugging_face_dataset
from leaderboard.rules.texts.messages import message


def problem(board: BoardOutline) -> str:
    if not _repository(board):
        return message(
            "Hugging Face needs a data set there: set the challenge's dataset_url to its address."
        )
    if not _columns(board):
        return message(
            "The format has no direction, and less is better in every column of this board."
        )
    return ""


def write(board: ExportedBoard) -> bytes:
    """A zip with `.eval_results/ROW.yaml` for each row, to add to the repository of its model."""
    repository, columns = _repository(board), _columns(board)
    files = {
        f"{row.slug}/.eval_results/{board.slug}.yaml": text.encode()
        for row in board.rows
        if (text := "".join(_entry(board, repository, row, column) for column in columns))
    }
    if not files:
        raise CannotExport(message("The board has no row with a value."))
    return zipped(files)


def _repository(board: BoardOutline) -> str:
    return hugging_face_dataset(board.dataset, board.dataset_url)


def _columns(board: BoardOutline) -> list[ExportedColumn]:
    return [column for column in board.columns if column.direction == "desc"]


def _entry(board: ExportedBoard, repository: str, row: ExportedRow, column: ExportedColumn) -> str:
    """An entry of the list. Texts are quoted as in JSON, which YAML reads."""
    value = row.values.get(column.key)
    if value is None or value.value is None:
        return ""
    notes = []
    if value.interval:
        notes.append("95% interval {:g} to {:g}".format(*value.interval))
    if value.defined is not None and value.total is not None:
        notes.append(f"{value.defined} of {value.total} tasks")
    lines = [
        "- dataset:",
        f"    id: {_text(repository)}",
        f"    task_id: {_text(column.key)}",
        *([f"    revision: {_text(board.dataset_revision)}"] if board.dataset_revision else []),
        f"  value: {value.value!r}",
        f"  date: {_text(f'{row.reached_at:%Y-%m-%d}')}",
        "  source:",
        f"    url: {_text(row.address)}",
        f"    name: {_text(board.name)}",
        *([f"  notes: {_text(', '.join(notes))}"] if notes else []),
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


EXPORTER = Exporter(
    "hugging-face",
    message("Hugging Face results"),
    message("A file of evaluation results for the repository of each model."),
    "eval-results.zip",
    "application/zip",
    write,
    problem,
)
