"""Boards sorted by Python, which pages of the database are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leaderboard.models import Board, Standing
from leaderboard.services.board.reading import ranking


def plainly_sorted(board: Board, key: str, *, descending: bool) -> list[int]:
    """Participants in the order of a value: undefined ones last, ties in the order of the board."""
    rows = sorted(board.standings.all(), key=lambda row: bytes(row.sort_key))
    defined = [row for row in rows if _value(row, key) is not None]
    # rows with equal values keep their order in reverse, too
    defined.sort(key=lambda row: _value(row, key), reverse=descending)
    undefined = [row for row in rows if _value(row, key) is None]
    return [row.participant_id for row in [*defined, *undefined]]


def check_sorted_pages(
    board: Board, key: str, starts: Iterable[int], limits: Iterable[int], **asked: Any
) -> None:
    """Check that pages in both directions equal a plain sort, and keep the ranks of the board."""
    ranks = {row.participant.pk: (row.rank, row.tied) for row in ranking.every_row(board)}
    pages = [(start, limit) for start in starts for limit in limits]
    for descending in (False, True):
        expected = plainly_sorted(board, key, descending=descending)
        for start, limit in pages:
            page = ranking.sorted_by(
                board, key, descending=descending, start=start, limit=limit, **asked
            )
            participants = [row.participant.pk for row in page.rows]
            case = (key, descending, start, limit)
            assert participants == expected[start : start + limit], case
            expected_ranks = [ranks[participant] for participant in participants]
            assert [(row.rank, row.tied) for row in page.rows] == expected_ranks, case


def _value(row: Standing, key: str) -> Any:
    return row.reached_at if key == "submitted_at" else row.values.get(key)
