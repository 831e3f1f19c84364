"""Bounds of buckets are read once for each version of a board, and statements are planned once."""

from __future__ import annotations

import pytest
from django.db import connection

from leaderboard.models import Challenge, Tenant
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking, ranks
from leaderboard.services.scoring import single
from tests.notifications import notifications
from tests.people import tenant
from tests.services.board.small_board import as_read_now, small_board
from tests.services.conftest import Submit

__all__ = ["notifications", "tenant"]


@pytest.fixture
def challenge(tenant: Tenant, submit: Submit, monkeypatch: pytest.MonkeyPatch) -> Challenge:
    return small_board(tenant, submit, monkeypatch, rows=30)


def ranks_by_time(challenge: Challenge) -> list[tuple[str, int | None]]:
    page = ranking.sorted_by(board_at(challenge), "elapsed_ms", descending=True, limit=100)
    return [(row.participant.handle, row.rank) for row in page.rows]


def test_the_bounds_of_a_version_are_read_once(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, fences = [], ranks.bucket_bounds

    def counted_bounds(board_id: int) -> ranks.BucketBounds:
        read.append(board_id)
        return fences(board_id)

    monkeypatch.setattr(ranks, "bucket_bounds", counted_bounds)
    ranks_by_time(challenge)
    ranks_by_time(as_read_now(challenge))
    assert read == [board_at(challenge).pk]


def test_a_new_standing_changes_the_ranks_after_it(challenge: Challenge, submit: Submit) -> None:
    before = ranks_by_time(challenge)
    assert before == [(f"p{at}", at + 1) for at in reversed(range(30))]
    submit(challenge, "new", elapsed_ms=250)
    single.score_waiting()
    after = dict(ranks_by_time(as_read_now(challenge)))
    assert after["new"] == 3
    assert {name: after[name] for name in ("p0", "p1", "p2", "p29")} == {
        "p0": 1,
        "p1": 2,
        "p2": 4,
        "p29": 31,
    }


def test_a_request_overtaken_by_a_score_caches_no_wrong_bounds(
    challenge: Challenge, submit: Submit
) -> None:
    """A request reads its challenge, then another process stores a score, then it reads bounds."""
    submit(challenge, "new", elapsed_ms=50)
    single.score_waiting()
    ranks_by_time(challenge)  # it caches newer bounds under the version that the request has read
    now = ranks_by_time(as_read_now(challenge))
    assert now == [*((f"p{at}", at + 2) for at in reversed(range(30))), ("new", 1)]


def test_the_bounds_of_few_boards_are_cached(challenge: Challenge) -> None:
    for version in range(2 * ranks.MOST_BOARDS):
        board = board_at(challenge)
        board.version = version
        ranks.bucket_bounds_of(board)
    assert ranks._bounds_of_version.cache_info().currsize == ranks.MOST_BOARDS


def test_ranks_are_right_after_another_process_has_split_a_bucket(
    challenge: Challenge, submit: Submit
) -> None:
    """The process knows the bounds of the version before, and reads lines in a new bucket."""
    board = board_at(challenge)
    bounds = ranks.bucket_bounds_of(board)
    expected = [(at + 1, f"p{at}") for at in range(20)]
    for at in range(12):
        submit(challenge, f"last{at}", elapsed_ms=2000 + at)
    single.score_waiting()
    now = ranks.bucket_bounds_of(board_at(as_read_now(challenge)))
    assert set(now.lows) - set(bounds.lows)
    page = ranking.sorted_by(board, "elapsed_ms", descending=False, limit=20)
    assert [(row.rank, row.participant.handle) for row in page.rows] == expected


def planned() -> dict[str, int]:
    """How often PostgreSQL has planned each prepared statement for its parameters."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement, sum(custom_plans) FROM pg_prepared_statements GROUP BY 1")
        return dict(cursor.fetchall())


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans nothing by values")
def test_statements_are_planned_once(challenge: Challenge) -> None:
    """PostgreSQL plans the first five executions, then keeps the plan if it expects no better."""
    board = board_at(challenge)
    people = [standing.participant for standing in board.standings.select_related("participant")]
    with connection.cursor() as cursor:
        # By statistics of other tests' rows it may expect a plan for one value to be cheaper.
        cursor.execute("ANALYZE leaderboard_standing, leaderboard_participant, leaderboard_bucket")
    before = planned()
    for at in range(12):
        ranking.page_number(board, 2 + at % 3, limit=5)
        ranking.standing_of(board, people[at])
    after = planned()
    assert len(after) > len(before)
    assert {sql: n for sql, n in after.items() if n > before.get(sql, 0) + 5} == {}
