"""Large files go in pieces, and after an error on from the piece that arrived last."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from time import sleep
from typing import Any, Final

from podium.errors import Refused, Unreachable
from podium.http import Session

LARGE: Final = 32 << 20
"""Larger files go in pieces."""
PIECE: Final = 8 << 20
TRIES: Final = 8
"""How often a piece is sent in a row without success."""
LONGEST_PAUSE: Final = 30.0

Progress = Callable[[str, int, int], None]


def size_of(file: Any) -> int:
    """The bytes of a file, which is then at its start."""
    size = int(file.seek(0, 2))
    file.seek(0)
    return size


def upload(session: Session, file: Any, name: str, progress: Progress) -> str:
    """Send an open file in pieces; the id by which an attempt names it.

    The server checks the digest of each piece when it arrives, and that of the file when an attempt
    names it. Raises Refused; Unreachable if the server does not answer for some minutes.
    """
    size = size_of(file)
    about = {"name": name, "size": size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    state = session.json("POST", "uploads/", about, repeat=True)
    path, failures = f"uploads/{state['id']}/", 0
    while state["offset"] < size:
        offset = state["offset"]
        progress("sent", offset, size)
        try:
            state = _add(session, path, file, offset)
            failures = 0
        except (Refused, Unreachable) as error:
            failures += 1
            if failures == TRIES or not _is_temporary(error):
                raise
            sleep(min(LONGEST_PAUSE, 2.0**failures))
            # The piece may have arrived although its answer did not.
            state = session.json("GET", path)
    progress("sent", size, size)
    return str(state["id"])


def _add(session: Session, path: str, file: Any, offset: int) -> Any:
    file.seek(offset)
    piece: bytes = file.read(PIECE)
    digest = base64.b64encode(hashlib.sha256(piece).digest()).decode()
    headers = {
        "Content-Type": "application/octet-stream",
        "Upload-Offset": str(offset),
        "Content-Digest": f"sha-256=:{digest}:",
    }
    answer = session.request("PATCH", path, content=piece, headers=headers, packs=False)
    return answer.json()


def _is_temporary(error: Refused | Unreachable) -> bool:
    """Whether the same piece, or that at the offset which the server has, may succeed."""
    if isinstance(error, Unreachable):
        return True
    return error.status in (409, 429) or "Content-Digest" in error.fields
