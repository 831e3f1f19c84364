"""How far rows have moved on a board since a week ago."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt, Board, BoardCertainty, Challenge, Tenant, User
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.board.certainty import movement
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.board.standings.counting import rebuild_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_waiting
from leaderboard.services.scoring.sweeper import sweep
from tests.services.conftest import Submit

Try = Callable[..., Attempt]


@pytest.fixture
def tried(sprint: Challenge, submit: Submit) -> Try:
    """Submit some days ago and score: `tried("atlas", 500, days=9)`."""

    def scored(name: str, elapsed_ms: int, days: int = 0) -> Attempt:
        attempt = submit(sprint, name, elapsed_ms=elapsed_ms)
        at = Now() - timedelta(days=days)
        Attempt.objects.filter(pk=attempt.pk).update(submitted_at=at)
        score_waiting()
        return attempt

    return scored


def moves() -> dict[str, int]:
    """Return the movements that are stored, by the participants' handles."""
    look_after_certainty()
    movements = BoardCertainty.objects.get(board__until=None).moves
    return {Attempt.objects.get(pk=key).participant.handle: by for key, by in movements.items()}


def test_rows_rise_and_fall(tried: Try) -> None:
    for place, name in enumerate(("atlas", "borea", "ceres", "delos")):
        tried(name, 100 + place, days=8)
    assert moves() == {}
    tried("delos", 50, days=1)
    tried("new", 60)
    assert moves() == {"delos": 3, "atlas": -2, "borea": -2, "ceres": -2, "new": 0}


def test_ties_share_the_ranks_of_a_week_ago(tried: Try) -> None:
    tried("atlas", 100, days=8)
    tried("borea", 100, days=9)
    tried("ceres", 200, days=9)
    tried("ceres", 90)
    assert moves() == {"ceres": 2, "atlas": -1, "borea": -1}


def test_neither_withdrawn_attempts_nor_a_new_board_move(tried: Try) -> None:
    new = [tried("atlas", 100, days=1), tried("borea", 60)]
    assert moves() == {}
    for attempt in new:
        withdraw_attempt(attempt, reason="a mistake")
    tried("atlas", 100, days=8)
    withdraw_attempt(tried("borea", 50, days=8), reason="a mistake")
    assert moves() == {}


def test_a_board_before_a_freeze_has_movements_of_its_own(
    tried: Try, sprint: Challenge, alice: User
) -> None:
    for place, name in enumerate(("atlas", "borea")):
        tried(name, 100 + place, days=20)
    tried("borea", 50, days=5)
    tried("ceres", 10)
    freezes = (timezone.now() - timedelta(days=2)).isoformat()
    phase = {"slug": "main", "freezes_at": freezes, "closes_at": "2126-01-01T00:00Z"}
    change_challenge(sprint, user=alice, fields={"phases": [phase]})
    rebuild_standings(sprint)
    sweep()
    frozen = BoardCertainty.objects.get(board__until__isnull=False)
    assert sorted(frozen.moves.values()) == [-1, 1]
    assert moves() == {"atlas": -2, "ceres": 0}


@pytest.mark.parametrize("fields", [{"counting": "all"}, {}])
def test_boards_of_all_attempts_and_large_boards_have_no_movement(
    tried: Try, sprint: Challenge, fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if fields:
        change_challenge(sprint, user=None, fields=fields)
        sweep()
    else:
        monkeypatch.setattr(movement, "MOST_ATTEMPTS", 2)
    tried("atlas", 100, days=8)
    tried("borea", 200, days=8)
    tried("borea", 50)
    assert moves() == {}


def test_movements_are_computed_again_each_day(tried: Try) -> None:
    tried("atlas", 100, days=8)
    tried("borea", 200, days=8)
    tried("borea", 50)
    assert moves() == {"borea": 1, "atlas": -1}
    version = Board.objects.get().version
    assert look_after_certainty() == 0
    BoardCertainty.objects.update(computed_at=Now() - timedelta(days=2))
    assert look_after_certainty() == 1
    assert Board.objects.get().version == version + 1
    Attempt.objects.filter(submitted_at__gt=Now() - timedelta(days=7)).update(
        submitted_at=Now() - timedelta(days=8)
    )
    BoardCertainty.objects.update(computed_at=Now() - timedelta(days=2))
    assert moves() == {}
    BoardCertainty.objects.update(computed_at=Now() - timedelta(days=2))
    assert look_after_certainty() == 0


def test_movement_is_hidden_where_attempts_or_decimals_are(
    client: Client, tried: Try, sprint: Challenge, alice: User, tenant: Tenant
) -> None:
    tried("atlas", 100, days=8)
    tried("borea", 200, days=8)
    tried("borea", 50)
    for hidden in ({}, {"attempts": "own"}, {"decimals": 0}):
        change_challenge(sprint, user=alice, fields={"phases": [{"slug": "main", **hidden}]})
        sweep()
        html = client.get(f"/c/{sprint.slug}/").content.decode()
        assert ("up 1 rank" in html) == (not hidden)
        assert ("▼1" in html) == (not hidden)
