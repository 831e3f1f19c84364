"""The state of each preparation of a metric script, shared by all processes that use the folder.

Each preparation has a file of JSON lines. The process that prepares keeps the file locked, and the
kernel releases the lock however that process ends. So a file without a lock and without a final
line belongs to an abandoned preparation.

The web process that received the form prepares in a thread. A Celery task would survive a restart
of the web, but then saving a form would need the worker's access to packages, a row for the state
and a half-saved challenge, and organisers would wait whenever the queue is busy. The page tells
that a preparation was abandoned and lets the organiser start again. It does not do so by itself,
because a server on which the preparation always fails would repeat it for ever. The folder must be
on a file system with `flock`, which SQLite needs as well.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Literal, NamedTuple, TypedDict

MAX_MESSAGES = 16 * 1024

PreparationState = Literal["ready", "running", "refused", "abandoned"]


class Refusal(NamedTuple):
    """Why a script cannot be prepared. `detail` has the messages of uv."""

    code: str
    message: str
    detail: str


class _Line(TypedDict, total=False):
    """A line of the file: the start, a message of uv, or the refusal, with their times."""

    started: float
    message: str
    refused: tuple[str, str, str]
    at: float


class PreparationProgress(NamedTuple):
    """The progress of a preparation. seconds: since its start. messages: those of uv so far."""

    state: PreparationState
    seconds: int = 0
    messages: str = ""
    refusal: Refusal | None = None


class Preparation:
    """A preparation that this process has locked; the end of the `with` block unlocks it."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self._file = file
        self._left = MAX_MESSAGES

    def __enter__(self) -> Preparation:
        return self

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def start(self) -> None:
        """Record the start, and forget the result of an earlier preparation."""
        self._file.truncate(0)
        self._append({"started": time.time()})

    def tell(self, line: str) -> None:
        """Record a message of uv, up to a limit for all messages."""
        if self._left > 0:
            self._append({"message": line[: self._left]})
            self._left -= len(line) + 1

    def refuse(self, refusal: Refusal) -> None:
        self._append({"refused": refusal, "at": time.time()})

    def refused_since(self, moment: float) -> Refusal | None:
        """The refusal that an earlier preparation recorded at or after a time, if any."""
        rows = _rows(self._file)
        if not rows or "refused" not in rows[-1] or rows[-1].get("at", -1) < moment:
            return None
        return Refusal(*rows[-1]["refused"])

    def forget(self) -> None:
        """Delete the file, as the script is prepared."""
        self._path.unlink(missing_ok=True)

    def _append(self, row: _Line) -> None:
        self._file.write(json.dumps(row).encode() + b"\n")


def take(path: Path) -> Preparation | None:
    """Lock a preparation; None if another process has locked it."""
    try:
        return _held(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None


def wait_for(path: Path) -> Preparation:
    """Lock a preparation; waits while another process has locked it."""
    return _held(path, fcntl.LOCK_EX)


def look_at(path: Path) -> PreparationProgress:
    """The progress of an unfinished preparation; an unknown one counts as abandoned."""
    try:
        file = path.open("rb", buffering=0)
    except FileNotFoundError:
        return PreparationProgress("abandoned")
    with file:
        is_held = _is_held(file)  # first, as a process writes the final line before it unlocks
        rows = _rows(file)
    messages = "\n".join(row["message"] for row in rows if "message" in row)
    started = rows[0].get("started", time.time()) if rows else time.time()
    if is_held:
        return PreparationProgress("running", max(0, int(time.time() - started)), messages)
    if rows and "refused" in rows[-1]:
        return PreparationProgress(
            "refused", messages=messages, refusal=Refusal(*rows[-1]["refused"])
        )
    return PreparationProgress("abandoned", messages=messages)


def put_away(path: Path, *, older_than: float) -> None:
    """Delete the file of a preparation that has not changed since a time and is not locked."""
    with suppress(FileNotFoundError):
        if path.stat().st_mtime < older_than and (preparation := take(path)):
            with preparation:
                preparation.forget()


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
        file.close()  # its last holder has deleted it, so other processes open a new file


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_held(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


def _rows(file: IO[bytes]) -> list[_Line]:
    """The complete lines of the file, parsed."""
    file.seek(0)
    return [json.loads(line) for line in file.read().split(b"\n")[:-1]]
