"""Why a file is not imported, in texts for the user who uploaded it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MAX_SHOWN = 120


class ImportFailed(ValueError):
    """A file that is not accepted: where it is wrong and what is accepted.

    `file` is its name within the upload, `line` counts from 1 (0: no line), `place` is a path
    like `traces[0].rewards.exact`. The text holds all of them. `others` are further ones that
    were found in the same file. `map`: of a table, what its columns would be used for, so that
    somebody can choose.
    """

    others: Sequence[ImportFailed] = ()
    map: Sequence[Any] = ()

    def __init__(self, message: str, *, file: str = "", line: int = 0, place: str = "") -> None:
        self.message, self.file, self.line, self.place = message, file, line, place
        where = [shown(file), f"line {line}" if line else "", place]
        before = ", ".join(part for part in where if part)
        super().__init__(f"{before}: {message}" if before else message)


class Unsafe(ImportFailed):
    """The upload as a whole is refused: too large, or not safe to open. Never only a warning."""


def shown(text: str) -> str:
    """A foreign text as it may stand in a message: no character that is not seen, not long."""
    seen = "".join(character if character.isprintable() else "?" for character in text)
    return seen if len(seen) <= MAX_SHOWN else f"{seen[: MAX_SHOWN - 1]}…"
