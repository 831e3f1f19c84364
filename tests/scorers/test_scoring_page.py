"""docs/scoring.md names all strategies, rank keys and reasons."""

import re
from pathlib import Path
from typing import get_args

from leaderboard.facts import rankable_keys
from leaderboard.rules.ranking.places import Unranked, ranks
from leaderboard.strategies import known_strategies

STRATEGIES = tuple(known_strategies())

PAGE = (Path(__file__).parents[2] / "docs" / "scoring.md").read_text()


def table(first_cell: str) -> dict[str, str]:
    """Return the rows of the table whose header begins with `first_cell`, by their first cells."""
    lines = PAGE.split(f"| {first_cell} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = (line.strip("| ").split("|", 1) for line in lines)
    return {name.strip(" `"): rest.strip() for name, rest in cells}


def test_each_table_is_complete() -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("strategy", STRATEGIES),
        ("key", rankable_keys()),
        ("reason", get_args(Unranked)),
    ]
    for first_cell, names in cases:
        assert set(table(first_cell)) == set(names), first_cell


def test_the_example_of_ties_is_right() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    keys = [(100 - int(score)).to_bytes(1) for score, _ in rows]
    assert [int(rank) for _, rank in rows] == list(ranks(keys))
    assert len(rows) >= 4
