"""Files on the disk, which are whole or absent whenever the machine stops."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage


class DurableStorage(FileSystemStorage):
    """A folder whose files are complete on the disk before they have their names."""

    def _save(self, name: str, content: File[Any]) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.part")
        try:
            with open(draft, "xb", opener=_private) as file:
                for piece in content.chunks():
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(path)
        finally:
            draft.unlink(missing_ok=True)
        _sync_folder(path.parent)
        return name


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
