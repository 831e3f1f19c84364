"""Boards sorted by a value, compared with Python's own sort."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leaderboard.columns import get_column
from leaderboard.models import Challenge, Standing, Tenant
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.standings.counting import rebuild_standings
from leaderboard.services.challenges.challenges import create_challenge
from tests.databases import rows_taken_back
from tests.services.attempts.crowds import WAYS, crowd
from tests.services.board.plain_sort import check_sorted_pages

pytestmark = pytest.mark.django_db

ODD = ["a.b", 'with "quotes"', "back\\slash", "größe", "it's", "100%", "$[0]", ""]
"""Names that paths into JSON write in their own way."""
KEYS = ["score", "elapsed_ms", "tokens_total", "submitted_at", "mean", "solved", *ODD]


@pytest.fixture(scope="module", params=["fastest", "metrics"])
def challenge(request: pytest.FixtureRequest, module_rows: None) -> Iterator[Challenge]:
    with rows_taken_back():
        tenant = Tenant.objects.create(slug="default", name="Default")
        fields = {"name": "Crowd", **WAYS[request.param]}
        crowded = create_challenge(tenant=tenant, user=None, fields=fields)
        crowd(crowded, participants=50, attempts=90, seed=9)
        rebuild_standings(crowded)
        standings = list(Standing.objects.all())
        for at, standing in enumerate(standings):
            standing.values |= {name: at % 7 - 3.5 for name in ODD if at % 5}
        Standing.objects.bulk_update(standings, ["values"])
        yield crowded


def test_each_page_equals_a_plain_sort(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "columns_of", lambda challenge: [get_column(key) for key in KEYS])
    board = board_at(challenge)
    for key in KEYS:
        check_sorted_pages(board, key, starts=(0, 5, 30, 60), limits=(1, 15, 200))
        check_sorted_pages(board, key, starts=(0,), limits=(200,), text="of crowd")
