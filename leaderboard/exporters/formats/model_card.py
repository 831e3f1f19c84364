"""The front matter of model cards, `model-index`: a README.md for each row.

Source: the model card specification of the Hugging Face hub. Unlike `.eval_results`, it needs no
data set on the hub and has no direction either, which is why the name of a metric says it.
"""

from __future__ import annotations

import json

from leaderboard.exporters.archive import zipped
from leaderboard.exporters.board import ExportedBoard, ExportedColumn, ExportedRow
from leaderboard.exporters.exporter import CannotExport, Exporter
from leaderboard.exporters.names import hugging_face_dataset, path_part
from leaderboard.rules.texts.messages import message


def write(board: ExportedBoard) -> bytes:
    """A zip with a README.md for each row that has a value."""
    files = {
        f"{row.slug}/README.md": _card(board, row) for row in board.rows if _metrics(board, row)
    }
    if not files:
        raise CannotExport(message("The board has no row with a value."))
    return zipped({path: text.encode() for path, text in files.items()})


def _card(board: ExportedBoard, row: ExportedRow) -> str:
    """The front matter is JSON, which YAML reads as it is."""
    dataset = {
        "type": hugging_face_dataset(board.dataset, board.dataset_url) or path_part(board.slug),
        "name": board.dataset or board.name,
        **({"revision": board.dataset_revision} if board.dataset_revision else {}),
    }
    result = {
        "task": {"type": "other", "name": board.name},
        "dataset": dataset,
        "metrics": _metrics(board, row),
        "source": {"name": board.name, "url": row.address},
    }
    index = [{"name": row.model, "results": [result]}]
    return f"---\nmodel-index: {json.dumps(index, ensure_ascii=False, indent=1)}\n---\n"


def _metrics(board: ExportedBoard, row: ExportedRow) -> list[dict[str, object]]:
    return [
        {"type": path_part(column.key), "value": value.value, "name": _name(column)}
        for column in board.columns
        if (value := row.values.get(column.key)) is not None and value.value is not None
    ]


def _name(column: ExportedColumn) -> str:
    return f"{column.label} (lower is better)" if column.direction == "asc" else column.label


EXPORTER = Exporter(
    "model-card",
    message("Model cards"),
    message("A README.md with the results in its front matter, for each model."),
    "model-cards.zip",
    "application/zip",
    write,
)
