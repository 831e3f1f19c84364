"""Preparations of metric scripts as every process on the folder sees them: under way, or refused.

Each is a file of JSON lines. Whoever prepares keeps it locked, and the kernel lets go of the lock
however that process ends. So a file that nobody holds and that has no end was abandoned.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

MAX_SAID = 16 * 1024

State = Literal["ready", "running", "refused", "abandoned"]


class Refusal(NamedTuple):
    """Why a script cannot be prepared. `detail` is what uv said."""

    code: str
    message: str
    detail: str


class PreparationProgress(NamedTuple):
    """How far a preparation is. `said` is what uv has said up to now."""

    state: State
    seconds: int = 0
    said: str = ""
    refusal: Refusal | None = None


class Preparation:
    """A preparation that belongs to whoever has this, until it is left (`with`)."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self._file = file
        self._left = MAX_SAID

    def __enter__(self) -> Preparation:
        return self

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def start(self) -> None:
        """From here on it is under way, and what became of an earlier one is forgotten."""
        self._file.truncate(0)
        self._append({"started": time.time()})

    def tell(self, line: str) -> None:
        """Show a line that uv has said, while there is room."""
        if self._left > 0:
            self._append({"said": line[: self._left]})
            self._left -= len(line) + 1

    def refuse(self, refusal: Refusal) -> None:
        self._append({"refused": refusal, "at": time.time()})

    def refused_since(self, moment: float) -> Refusal | None:
        """What an earlier holder found, if it was not before a moment."""
        last = (_rows(self._file) or [{}])[-1]
        return Refusal(*last["refused"]) if last.get("at", -1) >= moment else None

    def forget(self) -> None:
        """There is nothing left to say of it: the prepared script speaks for itself."""
        self._path.unlink(missing_ok=True)

    def _append(self, row: dict[str, Any]) -> None:
        self._file.write(json.dumps(row).encode() + b"\n")


def take(path: Path) -> Preparation | None:
    """Make a preparation one's own; None if somebody has it."""
    try:
        return _held(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None


def wait_for(path: Path) -> Preparation:
    """Make a preparation one's own, once whoever has it lets go of it."""
    return _held(path, fcntl.LOCK_EX)


def look_at(path: Path) -> PreparationProgress:
    """How far a preparation is that is not done; one that nobody knows of counts as abandoned."""
    try:
        file = path.open("rb", buffering=0)
    except FileNotFoundError:
        return PreparationProgress("abandoned")
    with file:
        is_held = _is_held(file)  # first: who lets go of it has written its end
        rows = _rows(file)
    said = "\n".join(row["said"] for row in rows if "said" in row)
    started = rows[0].get("started", time.time()) if rows else time.time()
    if is_held:
        return PreparationProgress("running", max(0, int(time.time() - started)), said)
    if rows and "refused" in rows[-1]:
        return PreparationProgress("refused", said=said, refusal=Refusal(*rows[-1]["refused"]))
    return PreparationProgress("abandoned", said=said)


def put_away(path: Path, *, older_than: float) -> None:
    """Remove what is left of a preparation that nobody has touched since a moment."""
    with suppress(FileNotFoundError):
        if path.stat().st_mtime < older_than and (found := take(path)):
            with found:
                found.forget()


def _held(path: Path, how: int) -> Preparation:
    while True:
        file = open(path, "a+b", buffering=0, opener=_private)  # noqa: SIM115 - it stays open
        try:
            fcntl.flock(file, how)
        except OSError:
            file.close()
            raise
        if os.fstat(file.fileno()).st_nlink:
            return Preparation(path, file)
        file.close()  # its last holder has put it away, and others now look at another file


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_held(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


def _rows(file: IO[bytes]) -> list[dict[str, Any]]:
    """The lines that are whole."""
    file.seek(0)
    return [json.loads(line) for line in file.read().split(b"\n")[:-1]]
