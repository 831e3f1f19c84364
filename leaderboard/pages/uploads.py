"""Result files between their preview and their import: one for each user, for an hour."""

from __future__ import annotations

import time
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.core.files.uploadedfile import UploadedFile

from leaderboard.models import User

KEPT_SECONDS = 3600
SALT = "leaderboard.pages.uploads"


class Kept(NamedTuple):
    """A file that was kept, and what its user called it."""

    path: Path
    label: str


def keep(upload: UploadedFile[bytes], user: User) -> str:
    """Keep a file in place of the user's last one. The answer names it, for this user alone."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    forget(user)
    _forget_old(folder)
    name = f"{user.pk}-{token_hex(8)}"
    path = folder / name
    path.touch(mode=0o600)
    with path.open("wb") as file:
        for piece in upload.chunks():
            file.write(piece)
    return signing.dumps([name, upload.name or ""], salt=SALT)


def find(token: str, user: User) -> Kept | None:
    """The file that `keep` named; None when it is gone, or another user's."""
    try:
        name, label = signing.loads(token, salt=SALT, max_age=KEPT_SECONDS)
    except signing.BadSignature:
        return None
    path = _folder() / name
    if not name.startswith(f"{user.pk}-") or not path.is_file():
        return None
    return Kept(path, label)


def forget(user: User) -> None:
    """Throw away the user's file."""
    for path in _folder().glob(f"{user.pk}-*"):
        path.unlink(missing_ok=True)


def _forget_old(folder: Path) -> None:
    for path in folder.iterdir():
        if time.time() - path.stat().st_mtime > KEPT_SECONDS:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.MEDIA_ROOT, "previews")
