"""`on_code_change: rescore`: all attempts are scored again when a file changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db.models.functions import Now

from leaderboard.models import ScoringConfig
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges import code_changes
from leaderboard.services.scoring import single
from leaderboard.services.scoring.sweeper import sweep
from tests.services.conftest import Submit
from tests.services.scoring.code_changes.changing import (
    Make,
    ScoreOne,
    finish,
    gives,
    numbers,
    statuses,
    values,
)


def test_a_new_attempt_after_a_change_starts_a_rescore(changed: Make, submit: Submit) -> None:
    challenge = changed("rescore")
    attempt = submit(challenge, "borea")
    assert single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.scoring_config.number) == ("scored", 2)
    assert values(challenge) == {"atlas": 10.0}
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0}
    assert (challenge.shown.number, numbers(challenge)) == (2, [2])
    assert verify_standings(challenge) == []


def test_the_sweeper_starts_a_rescore_after_a_change(
    made: Make, own: Path, notifications: list[tuple[Any, ...]], score: ScoreOne
) -> None:
    challenge = made("rescore")
    score(challenge, "atlas")
    sweep()
    assert ScoringConfig.objects.count() == 1
    gives(own, 99.0)
    notifications.clear()
    sweep()
    assert ("rescore", challenge.configs.latest("number").pk) in notifications
    for _ in range(3):
        sweep()
    assert ScoringConfig.objects.count() == 2
    assert values(finish(challenge)) == {"atlas": 99.0}
    sweep()
    assert ScoringConfig.objects.count() == 2


def test_servers_with_different_files_do_not_rescore_endlessly(
    made: Make, own: Path, score: ScoreOne
) -> None:
    """In the middle of an upgrade, one server has the old file and another the new one."""
    challenge = made("rescore")
    score(challenge, "atlas")
    for number in range(12):
        gives(own, 10.0 if number % 2 else 99.0)
        sweep()
        score(challenge, f"p{number}")
        finish(challenge)
    assert ScoringConfig.objects.count() <= 5
    assert set(statuses()) == {"scored"}
    assert verify_standings(challenge) == []
    ScoringConfig.objects.update(created_at=Now() - 2 * code_changes.QUIET)
    sweep()
    assert len(set(values(finish(challenge)).values())) == 1
    assert len(numbers(challenge)) == 1
