"""Reads the file of a backup, of which everything must be there and undamaged."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.schemas import backups
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.services.operations.backup_format import END, MANIFEST, BackupError

T = TypeVar("T")


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The zip at a path. Raises BackupError for any other file."""
    try:
        with zipfile.ZipFile(path) as file:
            yield file
    except (OSError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or "it is no backup, or it was cut off"
        raise BackupError(f"{path}: {reason}") from None


def check_members(file: zipfile.ZipFile) -> None:
    """Read everything once, before anything is changed. Raises BackupError for damaged bytes."""
    for name in file.namelist():
        try:
            with file.open(name) as member:
                while member.read(1 << 20):
                    pass
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
            raise BackupError(f"{name} is damaged: use another copy of this backup") from None


def read_manifest(file: zipfile.ZipFile) -> backups.Manifest:
    """The first member. Raises BackupError."""
    return _read(file, MANIFEST, backups.MANIFEST)


def read_end(file: zipfile.ZipFile) -> backups.End:
    """The last member. Raises BackupError."""
    return _read(file, END, backups.END)


def _read(file: zipfile.ZipFile, name: str, schema: TypeAdapter[T]) -> T:
    try:
        return checked(schema, parse_json(file.read(name)))
    except (KeyError, InvalidJSON):
        raise BackupError(f"{name} is missing or broken: this is no whole backup") from None
    except SchemaError as error:
        raise BackupError(f"{name}: {error}") from None


def read_names(lines: Iterator[bytes], table: str) -> list[str]:
    """The first line of a table: the names of its columns. Raises BackupError."""
    try:
        return checked(backups.COLUMNS, parse_json(next(lines, b"")))
    except (InvalidJSON, SchemaError):
        raise BackupError(f"{table}: the first line must be a list of columns") from None
