"""What is wrong with a table, line by line, in texts for the user who uploaded it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from leaderboard.rules.texts.messages import message

MAX_PROBLEMS: Final = 20
MAX_LEGIBLE: Final = 80


class Problem(NamedTuple):
    """One thing that is wrong. line: counts from 1 with the header; 0: the file as a whole."""

    line: int
    text: str

    @property
    def placed(self) -> str:
        """The text with its line before it."""
        return (
            message("line {line}: {text}", line=self.line, text=self.text)
            if self.line
            else self.text
        )


class BadTable(ValueError):
    """A table that is not accepted.

    problems: the first of them by line, at least one. more: how many others there are.
    """

    def __init__(self, problems: Sequence[Problem], more: int = 0) -> None:
        super().__init__(problems[0].placed)
        self.problems, self.more = tuple(problems), more

    @classmethod
    def because(cls, text: str, line: int = 0) -> BadTable:
        return cls([Problem(line, text)])


class Problems:
    """Collects problems, of which it keeps the first by line."""

    def __init__(self) -> None:
        self._kept: list[Problem] = []
        self._count = 0

    def add(self, problems: Iterable[Problem], count: int) -> None:
        """Add problems by line, of which only the first need be given. count: of all of them."""
        self._kept += problems
        self._count += count

    def raise_any(self) -> None:
        """Raises BadTable if there are any."""
        if self._count:
            first = sorted(self._kept, key=lambda problem: problem.line)[:MAX_PROBLEMS]
            raise BadTable(first, self._count - len(first))


def legible(text: object) -> str:
    """A text from a file for a message: shortened, and without invisible characters."""
    text_without_controls = "".join(
        letter if letter.isprintable() else "?" for letter in str(text)[: MAX_LEGIBLE + 1]
    )
    is_short = len(text_without_controls) <= MAX_LEGIBLE
    return text_without_controls if is_short else f"{text_without_controls[: MAX_LEGIBLE - 1]}…"
