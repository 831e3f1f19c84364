"""Harbor's hub: the description of a board, and its rows as `rows` requests of up to 500.

Source: the models of Harbor's hub, which refuse unknown fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from leaderboard.exporters.board import ExportedBoard, ExportedRow
from leaderboard.exporters.exporter import CannotExport, Exporter
from leaderboard.exporters.names import in_utc
from leaderboard.rules.texts.messages import message

LONGEST_NAME: Final = 100
LONGEST_TITLE: Final = 200
LONGEST_DESCRIPTION: Final = 5000
RESERVED: Final = ("entry", "date")
_NUMBER: Final = {"type": ["number", "null"]}
_TEXT: Final = {"type": ["string", "null"]}


def write(board: ExportedBoard) -> bytes:
    """One JSON document with `leaderboard` and `rows`."""
    if not board.rows:
        raise CannotExport(message("The board has no row with a value."))
    keys = _accessors(column.key for column in board.columns)
    fields = _accessors(name for row in board.rows for name in row.meta)
    document = {
        "leaderboard": {
            "package": board.dataset or board.slug,
            "name": board.slug[:LONGEST_NAME],
            "title": board.name[:LONGEST_TITLE],
            "description": board.summary[:LONGEST_DESCRIPTION],
            "metadata_schema": _schema(
                {"entry": _TEXT, "date": _TEXT, **dict.fromkeys(fields.values(), _TEXT)}
            ),
            "metrics_schema": _schema(dict.fromkeys(keys.values(), _NUMBER)),
            "columns": [
                _column("entry", "Entry", "metadata.entry", "text"),
                *(
                    _column(name, column.label, f"metrics.{name}", "number", column.description)
                    for column in board.columns
                    for name in [keys[column.key]]
                ),
                *(
                    _column(name, label, f"metadata.{name}", "text")
                    for label, name in fields.items()
                ),
                _column("date", "Date", "metadata.date", "date"),
            ],
            "rank_by": [
                {
                    "accessor": f"metrics.{keys[column.key]}",
                    "direction": column.direction,
                    "nulls": "last",
                }
                for column in board.ranked_columns
            ],
            "visibility": "public",
        },
        "rows": [_row(row, keys, fields) for row in board.rows],
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _row(row: ExportedRow, keys: dict[str, str], fields: dict[str, str]) -> dict[str, object]:
    return {
        "metadata": {
            "entry": row.name,
            "date": in_utc(row.reached_at),
            **{name: row.meta.get(label) for label, name in fields.items()},
        },
        "metrics": {
            name: value.value if (value := row.values.get(key)) else None
            for key, name in keys.items()
        },
        "status": "hide" if row.unranked in ("withdrawn", "disqualified") else "display",
        "trial_ids": [],
    }


def _column(
    name: str, header: str, accessor: str, kind: str, description: str = ""
) -> dict[str, object]:
    return {
        "id": name,
        "header": header,
        "accessor": accessor,
        "type": kind,
        "description": description or header,
        "enable_sorting": True,
    }


def _schema(properties: dict[str, dict[str, list[str]]]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _accessors(names: Iterable[str]) -> dict[str, str]:
    """For each name another one of letters, digits and `_`, as accessors require."""
    accessors: dict[str, str] = {}
    for name in dict.fromkeys(names):
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() or "value"
        if plain in RESERVED or plain in accessors.values():
            plain = f"{plain}_{len(accessors)}"
        accessors[name] = plain
    return accessors


EXPORTER = Exporter(
    "harbor-hub",
    message("Harbor hub"),
    message("The board and its rows as Harbor's hub takes them."),
    "harbor-hub.json",
    "application/json",
    write,
)
