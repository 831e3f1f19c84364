"""Pages and files of a board change nothing of the lines that their process keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client

from leaderboard.management.demo import load_demo
from leaderboard.models import Challenge
from leaderboard.services.board.reading import page_cache, rows
from leaderboard.services.board.reading.rows import DecodedLine
from leaderboard.services.scoring.single import score_attempt
from tests.notifications import notifications

__all__ = ["notifications"]

READ = (
    "/c/{slug}/",
    "/c/{slug}/?sort=-{key}",
    "/c/{slug}/progress/",
    "/c/{slug}/og.png",
    "/api/v1/challenges/{slug}/leaderboard/",
    "/api/v1/challenges/{slug}/leaderboard/?sort={key}",
    "/api/v1/challenges/{slug}/leaderboard.csv",
)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Sequence[DecodedLine], str]]:
    """The lines that were decoded for the cache so far, each list with what it was then."""
    found: list[tuple[Sequence[DecodedLine], str]] = []

    def lines_of(*args: Any, **way: Any) -> list[DecodedLine]:
        lines = rows.lines_of(*args, **way)
        found.append((lines, repr(lines)))
        return lines

    monkeypatch.setattr(page_cache, "lines_of", lines_of)
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("slug", ["harbour-names", "harbour-desk", "flat-fare"])
def test_readers_leave_cached_lines_as_they_are(
    client: Client,
    notifications: list[tuple[Any, ...]],
    decoded: list[tuple[Sequence[DecodedLine], str]],
    slug: str,
) -> None:
    load_demo()
    challenge = Challenge.objects.get(slug=slug)
    for attempt in challenge.attempts.all():
        assert score_attempt(attempt.pk)
    for language in ("en", "de"):
        for each in READ:
            address = each.format(slug=slug, key=challenge.shown.ranked_keys[0])
            answer = client.get(address, headers={"accept-language": language})
            assert answer.status_code == 200
    assert any(row.cells for lines, _ in decoded for row, _ in lines)
    assert [repr(lines) for lines, _ in decoded] == [then for _, then in decoded]
