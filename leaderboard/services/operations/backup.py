"""`backup`: writes the database, the uploads and the key into one file while the product runs."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model
from django.utils import timezone

from leaderboard.environment.reading import private_file
from leaderboard.schemas.backups import FORMAT, End, Manifest
from leaderboard.services.operations.backup_format import (
    END,
    FILES,
    KEY_FILE,
    MANIFEST,
    TABLES,
    BackupError,
    columns_of,
    is_blob,
    line_of,
)
from leaderboard.services.operations.secret_key import key_file, signed_newest_session
from leaderboard.services.transactions import snapshot
from leaderboard.version import VERSION

ROWS_AT_ONCE = 2000
BLOBS_AT_ONCE = 20


class WrittenBackup(NamedTuple):
    """The contents of a backup: rows by table, and the secret key.

    key: the file of the key; None if the backup contains no key. why_no_key: the reason for None.
    """

    rows: dict[str, int]
    key: Path | None
    why_no_key: str


def write_backup(path: Path) -> WrittenBackup:
    """Write a consistent backup into a new file that only its owner can read.

    Others may use the database at the same time; what they commit after the start is not in the
    file. Raises BackupError.
    """
    if path.exists():
        raise BackupError(f"{path} exists already; name a new file")
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        private_file(draft)
        with snapshot(), _zip(draft) as file:
            written = _write(file)
        draft.rename(path)
    except OSError as error:
        raise BackupError(f"{path}: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)
    return written


def backed_up_models() -> list[type[Model]]:
    """The models of all tables of the installed apps, in an order that does not change."""
    models = apps.get_models(include_auto_created=True)
    return [model for model in models if model._meta.managed and not model._meta.proxy]


def _zip(path: Path) -> zipfile.ZipFile:
    # A file may have a time that a zip cannot hold.
    return zipfile.ZipFile(
        path, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False
    )


def _write(file: zipfile.ZipFile) -> WrittenBackup:
    models = backed_up_models()
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise BackupError("the database is not up to date: run `manage.py migrate` first")
    manifest: Manifest = {
        "format": FORMAT,
        "version": VERSION,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": sorted(f"{app}.{name}" for app, name in executor.loader.applied_migrations),
        "tables": [model._meta.label_lower for model in models],
    }
    file.writestr(MANIFEST, json.dumps(manifest, indent=1))
    counts = {model._meta.label_lower: _write_table(file, model) for model in models}
    key, why_no_key = _key()
    files = sum(1 for _ in _write_files(file, key))
    end: End = {"rows": counts, "files": files}
    file.writestr(END, json.dumps(end))
    return WrittenBackup(counts, key, why_no_key)


def _key() -> tuple[Path | None, str]:
    """The file of the secret key, or None and why the backup does not contain the key."""
    key = key_file()
    if key is None:
        return None, "it comes from the environment"
    if not signed_newest_session():
        return None, f"the newest session was signed with another key than that of {key}"
    return key, ""


def _write_table(file: zipfile.ZipFile, model: type[Model]) -> int:
    fields = columns_of(model)
    names = [field.attname for field in fields]
    at_once = BLOBS_AT_ONCE if any(map(is_blob, fields)) else ROWS_AT_ONCE
    rows = model._base_manager.order_by("pk").values_list(*names)
    count = 0
    with file.open(f"{TABLES}{model._meta.label_lower}.jsonl", "w", force_zip64=True) as member:
        member.write(line_of([field.name for field in fields]))
        for row in rows.iterator(chunk_size=at_once):
            member.write(line_of(row))
            count += 1
    return count


def _write_files(file: zipfile.ZipFile, key: Path | None) -> Iterator[str]:
    """Write the secret key, if there is one, and the uploaded files; yields the names."""
    folder = Path(settings.DATA_DIR)
    uploads = Path(settings.MEDIA_ROOT)
    if key is not None:
        file.write(key, f"{FILES}{KEY_FILE}")
        yield f"{FILES}{KEY_FILE}"
    for path in sorted(uploads.rglob("*")) if uploads.is_dir() else ():
        if path.is_file() and not path.is_symlink() and path.is_relative_to(folder):
            name = f"{FILES}{path.relative_to(folder).as_posix()}"
            with suppress(FileNotFoundError):  # deleted meanwhile
                file.write(path, name)
                yield name


def summary(counts: Mapping[str, int]) -> str:
    """A text such as `12 tables, 3,456 rows`."""
    return f"{len(counts)} tables, {sum(counts.values()):,} rows"
