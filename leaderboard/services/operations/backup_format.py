"""The file that `backup` writes and `restore` reads: a zip of tables, uploads and keys.

`manifest.json` is first: format, product version, migrations, and the tables in their order.
`tables/NAME.jsonl` is a table: a line with its columns, then a line for each row. `files/…` are
uploads and the secret key. `end.json` is last and has the numbers of rows, so that `restore`
detects an incomplete file. Values are independent of the database, so a backup of SQLite can be
restored on PostgreSQL.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import BinaryField, Field, JSONField, Model

MANIFEST: Final = "manifest.json"
END: Final = "end.json"
TABLES: Final = "tables/"
FILES: Final = "files/"
KEY_FILE: Final = "secret_key"
"""The file of the secret key below KEY_DIR; other files are below DATA_DIR."""

if TYPE_CHECKING:
    AnyField = Field[Any, Any]
else:
    AnyField = Field


class BackupError(Exception):
    """A file cannot be written, read or restored; the text tells an operator why."""


def columns_of(model: type[Model]) -> list[AnyField]:
    """The fields of a model that have a column."""
    return list(model._meta.concrete_fields)


def is_blob(field: AnyField) -> bool:
    """Whether a value of the field may take megabytes."""
    return isinstance(field, BinaryField)


def line_of(values: Iterable[Any]) -> bytes:
    """A row as a line of JSON. Bytes become base64; times, ids and decimals become texts."""
    text = json.dumps([*values], default=_neutral, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def row_of(fields: Sequence[AnyField], line: bytes) -> list[Any]:
    """The values of a line as Python values of their fields. Raises BackupError."""
    try:
        values = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or len(values) != len(fields):
        raise BackupError(f"a row must have {len(fields)} values; got {line[:80]!r}")
    try:
        return [_value(field, value) for field, value in zip(fields, values, strict=True)]
    except (TypeError, ValueError, ValidationError):
        raise BackupError(f"a row must have values of its columns; got {line[:80]!r}") from None


def _neutral(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    raise BackupError(f"a value of type {type(value).__name__} cannot be backed up")


def _value(field: AnyField, value: Any) -> Any:
    if value is None or isinstance(field, JSONField):
        return value
    if isinstance(field, BinaryField):
        return base64.b64decode(value)
    target = getattr(field, "target_field", field)
    return target.to_python(value)
