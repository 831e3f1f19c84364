"""Pages and the API read boards and attempts only through what asks who sees what."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PRODUCT: Final = Path(__file__).parents[2] / "leaderboard"
SAFE: Final = {"MAX_LIMIT", "Page", "columns_of", "columns_under"}
"""Names of `services.board.reading.ranking` that tell nothing about attempts."""
SHAPES: Final = {
    "leaderboard.services.board.reading.rows": {"BoardRow", "RowParticipant"},
    "leaderboard.services.board.reading.totals": {"Totals"},
}
"""The shapes of rows and totals may be imported, but not what reads them."""


def unsafe(text: str) -> Iterator[str]:
    """The uses of what reads a board without a reader, in a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {name.name for name in node.names}
            if node.module == "leaderboard.services.board.reading.ranking":
                yield from sorted(names - SAFE)
            if node.module == "leaderboard.services.board":
                yield from sorted(names & {"totals"})
            yield from sorted(names - SHAPES.get(node.module, names))
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ranking":
            yield from {node.attr} - SAFE


def test_boards_are_read_for_a_reader() -> None:
    unsafe_names = {
        str(path.relative_to(PRODUCT)): names
        for folder in ("api", "pages")
        for path in sorted((PRODUCT / folder).rglob("*.py"))
        if (names := list(unsafe(path.read_text())))
    }
    assert unsafe_names == {}
