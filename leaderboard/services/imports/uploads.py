"""Store uploaded files between two requests of a user: a few for each user, for an hour."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from django.conf import settings
from django.core import signing
from django.core.files.uploadedfile import UploadedFile

from leaderboard.models import User

KEPT_SECONDS = 3600


class StoredUpload(NamedTuple):
    """A stored file, and the name that its user gave it."""

    path: Path
    label: str

    @property
    def read(self) -> Path:
        """Where to store the result of reading the file, for the same time."""
        return self.path.with_suffix(".read")


class UploadFolder:
    """A folder of stored files. most: how many files per user; one more deletes the oldest.

    The caller checks the size of a file. Names of files on the server are random, and the token
    that the user gets for a file is signed.
    """

    def __init__(self, name: str, *, most: int) -> None:
        self._name = name
        self._most = most

    @property
    def folder(self) -> Path:
        return Path(settings.MEDIA_ROOT, self._name)

    def keep(self, upload: UploadedFile[Any], user: User) -> str:
        """Store a file. Returns a token for it that only this user can use."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.forget_old()
        for path in self._newest_of(user)[self._most - 1 :]:
            path.unlink(missing_ok=True)
        path = self.folder / f"{user.pk}-{token_hex(8)}"
        path.touch(mode=0o600)
        with path.open("wb") as file:
            for piece in upload.chunks():
                file.write(piece)
        return signing.dumps([path.name, upload.name or ""], salt=self._salt)

    def find(self, token: str, user: User) -> StoredUpload | None:
        """The file of a token from `keep`; None if it is deleted or belongs to another user."""
        try:
            name, label = signing.loads(token, salt=self._salt, max_age=KEPT_SECONDS)
        except signing.BadSignature:
            return None
        path = self.folder / name
        if not name.startswith(f"{user.pk}-") or not path.is_file():
            return None
        return StoredUpload(path, label)

    def forget(self, token: str, user: User) -> None:
        """Delete the file of this user's token from `keep`."""
        if kept := self.find(token, user):
            kept.path.unlink(missing_ok=True)
            kept.read.unlink(missing_ok=True)

    def forget_old(self) -> None:
        """Delete files of this folder that nobody confirmed."""
        before = time.time() - KEPT_SECONDS
        for path in self.folder.glob("*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    path.unlink()

    @property
    def _salt(self) -> str:
        return f"leaderboard.uploads.{self._name}"

    def _newest_of(self, user: User) -> list[Path]:
        dated = []
        for path in self.folder.glob(f"{user.pk}-*"):
            with suppress(FileNotFoundError):
                dated.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(dated, reverse=True)]


PREVIEWS = UploadFolder("previews", most=1)
"""Result files between their preview and their import."""

REFERENCES = UploadFolder("references", most=3)
"""References of a challenge, until it is saved."""

TRUTHS = UploadFolder("truths", most=3)
"""The truth of a new challenge, until it is made."""


def forget_old() -> None:
    """Delete uploads that nobody confirmed, in every folder."""
    for folder in (PREVIEWS, REFERENCES, TRUTHS):
        folder.forget_old()
