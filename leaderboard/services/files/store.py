"""Write, open and delete files in the storage `files`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from secrets import token_hex
from typing import IO, Final, NamedTuple
from uuid import UUID

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models.challenge_file import LONGEST_NAME
from leaderboard.services.errors import ServiceError, invalid

FOLDER: Final = "files"
PIECE: Final = 1 << 20
_to_discard: ContextVar[list[str] | None] = ContextVar("to_discard", default=None)


class WrittenFile(NamedTuple):
    """A file in the storage that no row names yet: values for fields of `ChallengeFile` and
    `SubmittedFile`."""

    name: str
    size: int
    sha256: str
    path: str


def storage() -> Storage:
    """The storage of the files, on the disk or in a bucket."""
    return storages["files"]


def is_on_disk() -> bool:
    """Whether the files lie below DATA_DIR, where a backup finds them."""
    return isinstance(storage(), FileSystemStorage)


def store_file(file: IO[bytes], *, name: str, challenge: UUID) -> WrittenFile:
    """Write a file, which the caller then names by a row; returns what the row says of it.

    file: can be read from its start. name: as its owner calls it. Raises ServiceError:
    `unavailable` if it cannot be written.
    """
    sha256, size = sha256_of(file), file.tell()
    # Random, without the digest: who sees a path must not learn what the file is.
    path = f"{FOLDER}/{challenge}/{token_hex(16)}"
    file.seek(0)
    try:
        path = storage().save(path, File(file))
    except OSError as error:
        raise ServiceError("unavailable", _("The file cannot be stored at present.")) from error
    if (paths := _to_discard.get()) is not None:
        paths.append(path)
    return WrittenFile(checked_name(name), size, sha256, path)


@contextmanager
def discarded_files() -> Iterator[None]:
    """A context whose `store_file` keeps nothing: what it has written is deleted at the end.

    For a transaction that is rolled back on purpose; it ends before this context does.
    """
    paths: list[str] = []
    token = _to_discard.set(paths)
    try:
        yield
    finally:
        _to_discard.reset(token)
        delete_files(paths)


def sha256_of(file: IO[bytes]) -> str:
    """The digest of a whole file, which is then at its end."""
    digest = hashlib.sha256()
    file.seek(0)
    while piece := file.read(PIECE):
        digest.update(piece)
    return digest.hexdigest()


def checked_name(name: str) -> str:
    """The name of a file without folders. Raises ServiceError if it is empty or too long."""
    last = name.replace("\\", "/").rpartition("/")[2].strip()
    if not last or last in (".", "..") or len(last) > LONGEST_NAME or not last.isprintable():
        text = _("must have a name of 1 to {most} printable characters")
        raise invalid("file", text.format(most=LONGEST_NAME))
    return last


def open_file(path: str) -> IO[bytes]:
    """A stored file, for reading. Raises ServiceError: `unavailable` if it cannot be read."""
    try:
        return storage().open(path, "rb")
    except OSError as error:
        raise ServiceError("unavailable", _("The file cannot be read at present.")) from error


def delete_after_commit(paths: Iterable[str]) -> None:
    """Delete files when the transaction that deletes their rows has succeeded.

    What cannot be deleted is left to the sweeper.
    """
    transaction.on_commit(partial(delete_files, list(paths)), robust=True)


def delete_files(paths: Iterable[str]) -> None:
    """Delete files that no row names."""
    for path in paths:
        storage().delete(path)
