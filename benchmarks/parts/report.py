"""Tables of figures, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """What was measured, the figure, and its ratio to a baseline of the same run."""

    what: str
    figure: str
    ratio: str


class Table(NamedTuple):
    title: str
    lines: Sequence[Line]

    def __str__(self) -> str:
        rows = [f"| {line.what} | {line.figure} | {line.ratio} |" for line in self.lines]
        return "\n".join([f"### {self.title}", "", "| | figure | ratio |", "|---|---|---|", *rows])
