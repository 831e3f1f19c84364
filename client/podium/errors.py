"""The errors of the client. Each has the exit code of the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar


class PodiumError(Exception):
    """Something did not work; the message says what."""

    exit_code: ClassVar[int] = 1


class WrongUse(PodiumError):
    """The command or the function was not called as it should be."""

    exit_code = 2


class Refused(PodiumError):
    """The server refuses. code, fields: as in its answer; status: of HTTP."""

    def __init__(
        self, status: int, code: str, message: str, fields: Mapping[str, Sequence[str]]
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.fields = fields


class Unreachable(PodiumError):
    """The server does not answer, or not as it should. The same request may be sent again."""

    exit_code = 3


class Undecided(PodiumError):
    """An attempt failed, or a gate cannot decide."""

    exit_code = 4


class StillWaiting(PodiumError):
    """The time to wait is over."""

    exit_code = 5
