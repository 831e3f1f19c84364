"""Zip archives whose bytes depend on their files alone."""

from __future__ import annotations

import io
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive of files by their paths, without times, so that equal files give equal bytes."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for path, content in files.items():
            entry = ZipInfo(path)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
