"""Uploaded files between two requests of the user who uploaded them: a few of each, for an hour."""

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
    """A file that was kept, and what its user called it."""

    path: Path
    label: str

    @property
    def read(self) -> Path:
        """Where what was read of it may be kept, for as long."""
        return self.path.with_suffix(".read")


class UploadFolder:
    """A folder of kept files. `most`: so many of each user's; a further one pushes out the oldest.

    Whoever keeps a file has looked at its size. Its name on the server is none of the user's, and
    what names it to the user is signed.
    """

    def __init__(self, name: str, *, most: int) -> None:
        self._name = name
        self._most = most

    @property
    def folder(self) -> Path:
        return Path(settings.MEDIA_ROOT, self._name)

    def keep(self, upload: UploadedFile[Any], user: User) -> str:
        """Keep a file. The answer names it, for this user alone."""
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
        """The file that `keep` named; None when it is gone, or another user's."""
        try:
            name, label = signing.loads(token, salt=self._salt, max_age=KEPT_SECONDS)
        except signing.BadSignature:
            return None
        path = self.folder / name
        if not name.startswith(f"{user.pk}-") or not path.is_file():
            return None
        return StoredUpload(path, label)

    def forget(self, token: str, user: User) -> None:
        """Throw away the file that `keep` named to this user."""
        if kept := self.find(token, user):
            kept.path.unlink(missing_ok=True)
            kept.read.unlink(missing_ok=True)

    def forget_old(self) -> None:
        """Throw away what nobody has come back for."""
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
"""What a challenge is to expect, until it is saved."""


def forget_old() -> None:
    """Throw away what nobody has come back for, wherever it is kept."""
    for folder in (PREVIEWS, REFERENCES):
        folder.forget_old()
