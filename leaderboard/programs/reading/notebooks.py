"""Metrics that are notebooks, as Kaggle hands them out: their cells of code become a source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leaderboard.programs.reading.contract import ProgramRefused
from leaderboard.programs.reading.sources import LEFT_OUT, MAX_SOURCE, sources
from leaderboard.rules.texts.messages import message


def write_notebooks(program: Path) -> None:
    """Write a Python file beside each notebook of a program that has no other source.

    Raises ProgramRefused for what is no notebook.
    """
    if next(sources(program), None) is not None:
        return
    for path in sorted(program.rglob("*.ipynb")):
        if not set(LEFT_OUT) & set(path.relative_to(program).parts):
            source = path.with_suffix(".py")
            source.write_text(_source_of(path), encoding="utf-8")
            source.chmod(0o644)


def _source_of(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_SOURCE:
            raise ValueError("too large")
        cells = json.loads(path.read_bytes())["cells"]
        return "\n\n".join(_cells(cells))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProgramRefused(
            message("{file}: must be a notebook of at most 4 MiB", file=path.name)
        ) from None


def _cells(cells: list[Any]) -> Iterator[str]:
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        text = "".join(cell["source"])
        if not text.lstrip().startswith("%%"):
            # Lines for the shell and for IPython mean nothing to Python.
            lines = (line for line in text.splitlines() if not line.lstrip().startswith(("!", "%")))
            yield "\n".join(lines)
