"""Boards as Parquet, read back."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from pyarrow.parquet import ParquetFile

MAGIC = b"PAR1"


def read_file(body: bytes) -> ParquetFile:
    return ParquetFile(BytesIO(body))


def rows_in(body: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_file(body).read().to_pylist()
    return found


def body_text(body: bytes) -> str:
    """A body as text; that of a Parquet file with its metadata and its rows as JSON."""
    if not body.startswith(MAGIC):
        return body.decode(errors="replace")
    about = read_file(body).schema_arrow.metadata or {}
    said = {name.decode(): text.decode() for name, text in about.items()}
    return json.dumps([said, *rows_in(body)], default=str, ensure_ascii=False)
