"""Unpack stored files into folders where programs read them.

A challenge's file is unpacked once on each host, into a folder named by its digest. A submission is
unpacked for each run, into a folder that is deleted with it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from django.conf import settings

from leaderboard.importers.reading.trees import OneFile, Tree
from leaderboard.importers.reading.unpacking import make_readable, root_of, unpack
from leaderboard.importers.reading.zips import MAGIC, Zip
from leaderboard.models import ChallengeFile
from leaderboard.programs.reading.notebooks import write_notebooks
from leaderboard.programs.reading.sources import names_path
from leaderboard.services.files.store import open_file

MAX_UNPACKED: Final = 1 << 30
PLACES: Final = ("ref", "res", "input", "output")
"""Folders that programs name because the platforms have them."""
ONE_FILE: Final = (".xlsx", ".docx", ".pptx", ".ods", ".npz", ".pt", ".pth", ".ckpt", ".keras")
"""Files that are zips inside, which programs read as they are."""


def programs_folder() -> Path:
    """The folder of unpacked files, created if it is missing. Others may pass but not list it."""
    folder = Path(settings.DATA_DIR, "programs")
    folder.mkdir(exist_ok=True)
    folder.chmod(0o711)
    return folder


def unpacked(file: ChallengeFile) -> Path:
    """The folder with a challenge's file or the files of its zip. Raises ImportFailed."""
    return root_of(_unpacked(file))


def unpacked_data(file: ChallengeFile, program: Path) -> Path:
    """`unpacked` for data of a program: without the one folder in it, unless the program names it.

    Platforms leave that folder in place, so programs of theirs may count on it.
    """
    folder = _unpacked(file)
    while folder != (inner := _only_folder(folder)):
        if inner.name not in PLACES and names_path(program, inner.name):
            break
        folder = inner
    return folder


def _only_folder(folder: Path) -> Path:
    entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else folder


def _unpacked(file: ChallengeFile) -> Path:
    folder = programs_folder() / _folder_name(file.challenge_id, file.path)
    if not folder.exists():
        aside = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=programs_folder()))
        try:
            unpack_into(aside, file.name, file.path)
            if file.role == ChallengeFile.Role.SCORING_PROGRAM:
                write_notebooks(aside)
            with suppress(OSError):  # another process was quicker
                os.rename(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return folder


def _folder_name(challenge_id: object, path: str) -> str:
    # The file's name is part of what a program sees, so files with the same bytes have two folders.
    # After a backup is restored, another file may get the primary key of one that was lost.
    return f"{challenge_id}-{Path(path).name}"


def delete_unused(older_than: datetime) -> None:
    """Delete the old folders of files that no challenge has any more, and of interrupted runs."""
    latest = older_than.timestamp()
    with os.scandir(programs_folder()) as entries:
        old = {entry.name for entry in entries if entry.stat().st_mtime < latest}
    if old:
        files = ChallengeFile.objects.values_list("challenge_id", "path")
        old -= {_folder_name(*file) for file in files.iterator()}
    for name in old:
        shutil.rmtree(programs_folder() / name, ignore_errors=True)


def unpack_into(folder: Path, name: str, path: str) -> None:
    """Write a stored file, or the files of a zip, into an empty folder. Raises ImportFailed."""
    with open_file(path) as file:
        tree = tree_of(name, file)
        unpack(tree, folder, most_bytes=MAX_UNPACKED)


def copy_file(folder: Path, name: str, path: str) -> None:
    """Write a stored file into an empty folder as it is. Raises ImportFailed."""
    with open_file(path) as file:
        unpack(OneFile(name, file), folder, most_bytes=MAX_UNPACKED)


def tree_of(name: str, file: IO[bytes]) -> Tree:
    """The files of a zip, or the one file itself. Raises ImportFailed."""
    start = file.read(4)
    file.seek(0)
    is_zip = start in MAGIC and not name.lower().endswith(ONE_FILE)
    return Zip(file) if is_zip else OneFile(name, file)


@contextmanager
def run_folder() -> Iterator[Path]:
    """Yield a folder for one run, which is deleted afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=programs_folder()))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def copy_into(folder: Path, source: Path) -> None:
    """Copy files into a new folder that programs may read."""
    shutil.copytree(source, folder)
    make_readable(folder)
