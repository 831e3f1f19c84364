"""The rows of an evaluation as a worker finds them: packed blocks, in a file that both sides
read."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from pathlib import Path

from benchmarks.parts.texts import blocks
from leaderboard.rules.json.packing import packed


def write_blocks(file: Path, count: int) -> None:
    """Write the blocks of that many instances."""
    everything = list(blocks(count))
    with file.open("wb") as out:
        marshal.dump(len(everything), out)
        for rows in everything:
            marshal.dump((packed(rows), len(rows)), out)


def count_blocks(file: Path) -> int:
    """Return the number of instances."""
    with file.open("rb") as blocks:
        count: int = marshal.load(blocks)
    return count


def read_blocks(file: Path) -> Iterator[tuple[bytes, int]]:
    """Yield each packed block and the number of its instances; the file is read lazily."""
    with file.open("rb") as blocks:
        for _ in range(marshal.load(blocks)):
            yield marshal.load(blocks)
