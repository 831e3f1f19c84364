"""Published boards: their participants, and the published values and ranks.

They are not part of the project. `PODIUM_REAL_DATA` names a folder that has a folder for each
board, with `attempts.jsonl` and `expected.json`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leaderboard.services.scoring import single
from tests.api.conftest import Api, alice, default, organiser
from tests.notifications import notifications

__all__ = ["alice", "default", "notifications", "organiser"]

BESIDE = Path(__file__).parents[3] / "shared" / "data"
ROOT = Path(os.environ.get("PODIUM_REAL_DATA") or BESIDE)


@dataclass(frozen=True)
class Published:
    """A published board: attempts in the order of the source, and the expected results."""

    folder: Path
    attempts: list[dict[str, Any]]
    expected: dict[str, Any]

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Return the JSON lines of another file of the board."""
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]


@dataclass(frozen=True)
class Board:
    """A board as the API shows it: its rows in order, and rows by the participant's name."""

    slug: str
    rows: list[dict[str, Any]]

    def __getitem__(self, participant: str) -> dict[str, Any]:
        (row,) = (row for row in self.rows if row["participant"]["handle"] == participant)
        return row

    def ranks(self) -> dict[str, int | None]:
        return {row["participant"]["handle"]: row["rank"] for row in self.rows}


Play = Callable[..., Board]


def published(name: str) -> Published:
    """Return the board of that name; skip the test if it is not on this machine."""
    folder = ROOT / name
    if not folder.is_dir():
        pytest.skip(f"no published board {name}: PODIUM_REAL_DATA names no folder with it")
    lines = (folder / "attempts.jsonl").read_text().splitlines()
    expected = json.loads((folder / "expected.json").read_text())
    return Published(folder, [json.loads(line) for line in lines], expected)


@pytest.fixture
def play(organiser: Api) -> Play:
    """Return `play(fields, bodies)`: make a challenge, submit in bulk, score all, read the board.

    references: a document of instances that the challenge stores.
    """

    def played(
        fields: dict[str, Any],
        bodies: list[dict[str, Any]],
        references: dict[str, Any] | None = None,
    ) -> Board:
        made = organiser.post("challenges/", fields)
        assert made.status_code == 201, made.content
        slug = made.json()["slug"]
        if references:
            body = json.dumps(references).encode()
            held = organiser.send("put", f"challenges/{slug}/references/", body)
            assert held.status_code == 200, held.content
        answer = organiser.lines(f"challenges/{slug}/attempts/bulk/?atomic=1", *bodies)
        assert answer.json()["rejected"] == []
        assert answer.json()["accepted"] == len(bodies)
        while single.score_waiting():
            pass
        return Board(slug, _rows(organiser, slug))

    return played


def _rows(api: Api, slug: str) -> list[dict[str, Any]]:
    """Return all rows, page by page."""
    rows: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = api.get(f"challenges/{slug}/leaderboard/?limit=50&cursor={cursor}")
        assert answer.status_code == 200, answer.content
        rows += answer.json()["rows"]
        cursor = answer.json()["next"]
    return rows
