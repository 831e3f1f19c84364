from __future__ import annotations

import random

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Challenge
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring import single
from tests.services.conftest import Submit
from tests.services.refusals import check_refusals, refusal


@pytest.fixture
def crowd(sprint: Challenge, submit: Submit) -> Challenge:
    """A board of twelve participants, with ties, and three participants that are not ranked."""
    dice = random.Random(5)
    for number in range(12):
        submit(sprint, f"runner {number}", elapsed_ms=10 * dice.randrange(1, 6))
    submit(sprint, "gave up", succeeded=False, elapsed_ms=1)
    submit(sprint, "no clock")
    submit(sprint, "gave up too", succeeded=False)
    single.score_waiting()
    sprint.refresh_from_db()
    return sprint


def expected(crowd: Challenge) -> list[tuple[int | None, bool, str]]:
    """Return rank, tie and name of each row, computed in plain Python."""
    times = {
        attempt.participant.handle: attempt.fact("elapsed_ms")
        for attempt in crowd.attempts.select_related("participant").order_by("submitted_at", "id")
        if attempt.fact("succeeded") and attempt.fact("elapsed_ms") is not None
    }
    ranked = sorted(times, key=lambda name: times[name] or 0)
    values = list(times.values())
    rows: list[tuple[int | None, bool, str]] = [
        (
            1 + sum((value or 0) < (times[name] or 0) for value in values),
            values.count(times[name]) > 1,
            name,
        )
        for name in ranked
    ]
    return rows + [(None, False, name) for name in ("gave up", "no clock", "gave up too")]


def ranks_of(rows: list[BoardRow]) -> list[tuple[int | None, bool, str]]:
    return [(row.rank, row.tied, row.participant.handle) for row in rows]


def test_all_pages_together_are_the_whole_board(crowd: Challenge) -> None:
    """Other ways of reading a board are compared with this one in test_buckets."""
    board = board_at(crowd)
    assert ranks_of(list(ranking.every_row(board))) == expected(crowd)
    for limit in (1, 5, 15, 50):
        rows: list[BoardRow] = []
        cursor: str | None = ""
        while cursor is not None:
            page = ranking.page_after(board, cursor=cursor, limit=limit)
            assert page.start == len(rows)
            rows += page.rows
            cursor = page.next_cursor
        assert ranks_of(rows) == expected(crowd), limit


def test_an_unknown_column_is_refused(crowd: Challenge) -> None:
    error = refusal(lambda: ranking.sorted_by(board_at(crowd), "password", descending=True))
    assert list(error.fields) == ["sort"]


def test_every_page_takes_the_same_number_of_queries(
    crowd: Challenge, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    crowd = Challenge.objects.select_related("shown_config").get()
    board = board_at(crowd)
    with django_assert_max_num_queries(1):
        ranking.page_number(board, 1, limit=50)
    with django_assert_max_num_queries(3):
        ranking.page_number(board, 3, limit=4)


def test_a_forged_cursor_is_refused_and_a_late_one_gives_an_empty_page(crowd: Challenge) -> None:
    board = board_at(crowd)
    check_refusals(
        lambda cursor: ranking.page_after(board, cursor=cursor),
        [(cursor, "cursor") for cursor in ("!", "a", "é", "a=b")],
    )
    assert ranking.page_after(board, cursor="____").rows == []


def test_columns_follow_the_shown_config(crowd: Challenge) -> None:
    assert ranking.columns_of(crowd)[0].key == "elapsed_ms"
    changed = change_challenge(
        crowd, user=None, fields={"columns": [{"key": "elapsed_ms", "label": "Clock"}]}
    )
    assert ranking.columns_of(changed)[0].label == "Clock"
