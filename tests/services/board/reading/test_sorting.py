"""Boards sorted by a value, read by an index, compared with Python's own sort."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leaderboard.columns import get_column
from leaderboard.models import Challenge, Tenant
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking, sorting
from leaderboard.services.board.standings.counting import rebuild_standings
from leaderboard.services.challenges.challenges import create_challenge
from tests.databases import rows_taken_back
from tests.services.attempts.crowds import WAYS, crowd
from tests.services.board.plain_sort import check_sorted_pages

pytestmark = pytest.mark.django_db

KEYS = [*sorting.INDEXED, "mean", "solved"]


@pytest.fixture(scope="module", params=["fastest", "metrics"])
def challenge(request: pytest.FixtureRequest, module_rows: None) -> Iterator[Challenge]:
    with rows_taken_back():
        tenant = Tenant.objects.create(slug="default", name="Default")
        fields = {"name": "Crowd", **WAYS[request.param]}
        made = create_challenge(tenant=tenant, user=None, fields=fields)
        crowd(made, participants=50, attempts=90, seed=9)
        rebuild_standings(made)
        yield made


def test_each_page_equals_a_plain_sort(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether an index serves only near pages or all, and among the results of a search."""
    monkeypatch.setattr(ranking, "columns_of", lambda challenge: [get_column(key) for key in KEYS])
    board = board_at(challenge)
    for key in KEYS:
        for most in (20, 2000):
            monkeypatch.setattr(sorting, "MOST", most)
            check_sorted_pages(board, key, starts=(0, 5, 30, 60), limits=(1, 15, 200))
        check_sorted_pages(board, key, starts=(0,), limits=(200,), text="of crowd")
