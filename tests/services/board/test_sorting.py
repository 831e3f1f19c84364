"""Boards sorted by a value, read by an index, compared with Python's own sort."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.columns import get_column
from leaderboard.models import Challenge, Standing, Tenant
from leaderboard.services.board import ranking, sorting
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.standings import rebuild_standings
from leaderboard.services.challenges.challenges import create_challenge
from tests.databases import rows_taken_back
from tests.services.attempts.crowds import WAYS, crowd

pytestmark = pytest.mark.django_db

KEYS = [*sorting.INDEXED, "mean", "solved"]


@pytest.fixture(autouse=True)
def _every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "columns_of", lambda challenge: [get_column(key) for key in KEYS])


@pytest.fixture(scope="module", params=["fastest", "metrics"])
def challenge(request: pytest.FixtureRequest, module_rows: None) -> Iterator[Challenge]:
    with rows_taken_back():
        tenant = Tenant.objects.create(slug="default", name="Default")
        fields = {"name": "Crowd", **WAYS[request.param]}
        found = create_challenge(tenant=tenant, user=None, fields=fields)
        crowd(found, participants=50, attempts=90, seed=9)
        rebuild_standings(found)
        yield found


def plainly_sorted(challenge: Challenge, key: str, *, descending: bool) -> list[int]:
    def value(standing: Standing) -> Any:
        return standing.reached_at if key == "submitted_at" else standing.values.get(key)

    everyone = sorted(board_at(challenge).standings.all(), key=lambda each: bytes(each.sort_key))
    there = [each for each in everyone if value(each) is not None]
    # rows with equal values keep their order in reverse, too
    there.sort(key=value, reverse=descending)
    rest = [each for each in everyone if value(each) is None]
    return [each.participant_id for each in [*there, *rest]]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("most", [20, 2000])
def test_each_page_equals_a_plain_sort_by_index(
    challenge: Challenge,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    descending: bool,
    most: int,
) -> None:
    monkeypatch.setattr(sorting, "MOST", most)
    expected = plainly_sorted(challenge, key, descending=descending)
    for start, limit in [(0, 1), (0, 7), (5, 9), (30, 15), (0, 200), (44, 20), (60, 5)]:
        page = ranking.sorted_by(
            board_at(challenge), key, descending=descending, start=start, limit=limit
        )
        found = [row.participant.pk for row in page.rows]
        assert found == expected[start : start + limit]
    ranks = {
        row.participant.pk: (row.rank, row.tied) for row in ranking.every_row(board_at(challenge))
    }
    page = ranking.sorted_by(board_at(challenge), key, descending=descending, limit=200)
    assert {row.participant.pk: (row.rank, row.tied) for row in page.rows} == ranks


@pytest.mark.parametrize("key", KEYS)
def test_search_results_have_the_same_order(challenge: Challenge, key: str) -> None:
    expected = plainly_sorted(challenge, key, descending=True)
    page = ranking.sorted_by(board_at(challenge), key, descending=True, limit=200, text="of crowd")
    assert [row.participant.pk for row in page.rows] == expected
