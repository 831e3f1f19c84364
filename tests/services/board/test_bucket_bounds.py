"""The bucket bounds of a board are read once for each version of it."""

from __future__ import annotations

import pytest

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
