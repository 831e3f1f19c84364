"""Families of rows that are configurations of one system, compared with a plain reading of rows."""

from __future__ import annotations

import random

import pytest

from leaderboard.models import Challenge, Standing, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.families import MOST_VARIANTS, variants_of
from leaderboard.services.board.reading.row_filter import RowFilter
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.scoring.single import score_waiting

pytestmark = pytest.mark.django_db
FAMILIES = ("", "fir", " fir ", "Fir", "x" * 130, "many")


@pytest.fixture
def crowd(sprint: Challenge, alice: User) -> Challenge:
    dice = random.Random(7)
    for at in range(40):
        family = "many" if at % 4 == 0 else dice.choice(FAMILIES)
        facts = {"succeeded": at % 9 != 0, "elapsed_ms": dice.randrange(6)}
        new = NewAttempt(f"p{at}", metrics=facts, meta={"family": family} if family else {})
        submit_attempt(challenge=sprint, user=alice, new=new)
    score_waiting()
    return sprint


def best_of_each(rows: list[BoardRow]) -> list[BoardRow]:
    """The first row of each family, and all rows without one, with ranks among these."""
    best = {row.family or row.participant.handle: row for row in reversed(rows)}
    folded = sorted(best.values(), key=lambda row: bytes(row.sort_key))
    keys = [row.rank_key for row in folded]
    return [
        row
        if row.rank is None
        else row._replace(
            here=sum(key < row.rank_key for key in keys) + 1, tied_here=keys.count(row.rank_key) > 1
        )
        for row in folded
    ]


def test_of_a_family_only_the_best_row_is_listed(crowd: Challenge) -> None:
    board = board_at(crowd)
    rows = list(ranking.every_row(board))
    assert {row.family for row in rows} == {"", "fir", "Fir", "x" * 120, "many"}
    expected = best_of_each(rows)
    for start in (0, 3):
        page = ranking.matching(board, RowFilter(folds=True), start=start, limit=5)
        assert (page.rows, page.matches) == (expected[start : start + 5], len(expected))

    standings = RowFilter().standings(board)
    variants = variants_of(board, standings, ["fir", "many", "nobody"])
    for family, behind in variants.items():
        members = [row for row in rows if row.family == family]
        assert behind == (len(members) - 1, members[1 : MOST_VARIANTS + 1])
    assert set(variants) == {"fir", "many"}

    page = ranking.matching(board, RowFilter(family="fir"))
    assert [row.participant for row in page.rows] == [
        row.participant for row in rows if row.family == "fir"
    ]


def test_families_follow_from_attempts(crowd: Challenge) -> None:
    assert verify_standings(crowd) == []
    board = board_at(crowd)
    before = list(ranking.every_row(board))
    Standing.objects.filter(board=board.read_pk).update(family="wrong")
    assert verify_standings(crowd)
    rebuild_standings(crowd)
    assert list(ranking.every_row(board_at(crowd))) == before
