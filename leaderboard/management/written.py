"""Files that a command writes. An old file stays unchanged until there is something to write."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from django.core.management import CommandError

STANDARD = "-"


class Written:
    """A file by its name, or the standard output for `-`. Use it in a `with`.

    The first text, or the end of the `with` block, replaces the old contents, so a command that is
    interrupted before has changed nothing. Raises CommandError with the name.
    """

    def __init__(self, name: str, standard: Any) -> None:
        self.name = name
        self._is_begun = name == STANDARD
        self._file = standard
        if name == STANDARD:
            with suppress(AttributeError):  # another kind of stream has replaced it
                standard.reconfigure(encoding="utf-8")
        else:
            with self._named():
                self._file = open(name, "a", encoding="utf-8")  # noqa: SIM115 - closed at the end

    def write(self, text: str) -> None:
        with self._named():
            self._begin()
            self._file.write(text)

    def __enter__(self) -> Written:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._named():
            if error is None:
                self._begin()
            self._file.flush()
            if self.name != STANDARD:
                self._file.close()

    def _begin(self) -> None:
        """Empty a regular file before its first text; devices and pipes have no old contents."""
        if not self._is_begun and stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            self._file.truncate(0)
        self._is_begun = True

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            name = "the standard output" if self.name == STANDARD else self.name
            raise CommandError(f"cannot write {name}: {error.strerror}") from None
