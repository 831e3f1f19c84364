"""Delete files that no row names, left by transactions that failed and rows that were deleted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import islice
from typing import Final

from django.utils import timezone

from leaderboard.models import ChallengeFile, EvidenceFile, ProgramRun, SubmittedFile
from leaderboard.services.files.store import FOLDER, delete_files, storage

KEPT: Final = timedelta(hours=24)
"""How long a file without a row stays: a backup that is being written may still need it."""
EVERY_SECONDS: Final = 3600.0
AT_ONCE: Final = 500

_last = -EVERY_SECONDS


def sweep_files() -> bool:
    """Delete files without a row, at most once an hour in a process; returns whether it did."""
    global _last
    is_due = time.monotonic() - _last >= EVERY_SECONDS
    if is_due:
        _last = time.monotonic()
        delete_unnamed()
    return is_due


def delete_unnamed() -> int:
    """Delete all files without a row that are older than a day; returns how many."""
    paths, deleted = _old_paths(), 0
    while some := list(islice(paths, AT_ONCE)):
        named: set[str] = set()
        for model in (ChallengeFile, EvidenceFile, SubmittedFile, ProgramRun):
            named.update(model.objects.filter(path__in=some).values_list("path", flat=True))
        unnamed = [path for path in some if path not in named]
        delete_files(unnamed)
        deleted += len(unnamed)
    return deleted


def _old_paths() -> Iterator[str]:
    files, oldest_kept = storage(), timezone.now() - KEPT
    for folder in _listed(FOLDER)[0]:
        for name in _listed(f"{FOLDER}/{folder}")[1]:
            path = f"{FOLDER}/{folder}/{name}"
            with suppress(FileNotFoundError):  # deleted meanwhile
                if files.get_modified_time(path) < oldest_kept:
                    yield path


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """The folders and the files in a folder, which may not exist yet."""
    try:
        return storage().listdir(folder)
    except FileNotFoundError:
        return [], []
