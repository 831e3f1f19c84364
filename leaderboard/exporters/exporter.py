"""What a format of the exchange declares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leaderboard.exporters.board import BoardOutline, ExportedBoard


class CannotExport(Exception):
    """A format that cannot say what a board says. text: the reason, a translatable message."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, slots=True)
class Exporter:
    """A format that boards are written in.

    key: its name in addresses. label: the name that people know. describes: what the file holds, in
    one sentence. write: the bytes of the file; raises CannotExport. problem: why the format cannot
    say what a board says, "" if it can; asked before any row is read.
    """

    key: str
    label: str
    describes: str
    ending: str
    media_type: str
    write: Callable[[ExportedBoard], bytes]
    problem: Callable[[BoardOutline], str] = lambda board: ""

    def file(self, board: ExportedBoard) -> bytes:
        """The bytes of the file. Raises CannotExport."""
        if text := self.problem(board):
            raise CannotExport(text)
        return self.write(board)
