"""The uploads and keys of a backup: written beside their places before the database changes.

A transaction of the database does not include files, and renaming needs no space on the disk.
"""

from __future__ import annotations

import errno
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Final

from django.conf import settings

from leaderboard.environment.reading import private_file
from leaderboard.services.operations.backup_format import FILES, KEY_FILE, BackupError

DRAFT: Final = ".restored-"


def places_of(file: zipfile.ZipFile) -> dict[Path, str]:
    """The paths of uploads and keys, with their names in the backup.

    Raises BackupError for a path outside of the data folder.
    """
    found = {}
    for name in file.namelist():
        relative = PurePosixPath(name.removeprefix(FILES))
        if not name.startswith(FILES):
            continue
        if relative.is_absolute() or ".." in relative.parts or not relative.parts:
            raise BackupError(f"{name} leads out of the data folder")
        folder = settings.KEY_DIR if relative.parts == (KEY_FILE,) else settings.DATA_DIR
        found[Path(folder, *relative.parts)] = name
    return found


@contextmanager
def drafts_of(file: zipfile.ZipFile, places: Mapping[Path, str]) -> Iterator[dict[Path, Path]]:
    """Write each file beside its place; yields the places by draft.

    Deletes unused drafts, and those of earlier restores that were killed.
    """
    # Numbers, because a name may be as long as the disk allows.
    drafts = {place.with_name(f"{DRAFT}{at}.part"): place for at, place in enumerate(places)}
    for folder in {place.parent for place in places}:
        with errors_named(folder):
            for left in folder.glob(f"{DRAFT}*.part"):
                left.unlink()
    try:
        for draft, place in drafts.items():
            with errors_named(place):
                if place.is_dir():  # it could not be replaced after the database
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                _write_draft(file, places[place], draft)
        yield drafts
    finally:
        for draft in drafts:
            with suppress(OSError):
                draft.unlink()


def _write_draft(file: zipfile.ZipFile, name: str, draft: Path) -> None:
    """Write a file that only its owner can read."""
    for folder in reversed(draft.parents):
        folder.mkdir(mode=0o700, exist_ok=True)
    private_file(draft)
    with file.open(name) as source, draft.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)


@contextmanager
def errors_named(path: Path) -> Iterator[None]:
    """Raise BackupError with the path of a file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise BackupError(f"{path}: {error.strerror}") from None
