"""Boards as Parquet, read back."""

from __future__ import annotations

import io
import json
import zipfile
from io import BytesIO
from typing import Any

from pyarrow.parquet import ParquetFile

MAGIC = b"PAR1"


def read_file(body: bytes) -> ParquetFile:
    return ParquetFile(BytesIO(body))


def rows_in(body: bytes) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_file(body).read().to_pylist()
    return rows


def body_text(body: bytes) -> str:
    """A body as text: of a Parquet file its metadata and its rows as JSON, of an archive its
    files, without the properties of a workbook: they say when it was written.
    """
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = [name for name in archive.namelist() if name != "docProps/core.xml"]
            texts = {name: archive.read(name).decode() for name in names}
        return "".join(f"{name}\n{text}\n" for name, text in texts.items())
    if not body.startswith(MAGIC):
        return body.decode(errors="replace")
    about = read_file(body).schema_arrow.metadata or {}
    metadata = {name.decode(): text.decode() for name, text in about.items()}
    return json.dumps([metadata, *rows_in(body)], default=str, ensure_ascii=False)
