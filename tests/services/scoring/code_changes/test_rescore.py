"""`on_code_change: rescore`: everything is scored again when a file changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db.models.functions import Now

from leaderboard.models import Challenge, ScoringConfig
from leaderboard.services.board.standings import verify_standings
from leaderboard.services.challenges import code_changes
from leaderboard.services.scoring import single
from leaderboard.services.scoring.sweeper import sweep
from tests.services.conftest import Submit
from tests.services.scoring.code_changes.changing import finish, gives, numbers, statuses, values


def test_everything_is_scored_again_by_itself(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("rescore")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    attempt = submit(challenge, "borea")
    assert single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.scoring_config.number) == ("scored", 2)
    assert values(challenge) == {"atlas": 10.0}
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0}
    assert (challenge.shown.number, numbers(challenge)) == (2, [2])
    assert verify_standings(challenge) == []


def test_without_a_new_attempt_as_well(
    made: Callable[[str], Challenge],
    own: Path,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
) -> None:
    challenge = made("rescore")
    single.score_attempt(submit(challenge, "atlas").pk)
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


def test_servers_with_different_files_do_not_rescore_for_ever(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    """As in the middle of an upgrade: by turns, one has the old file and the other the new one."""
    challenge = made("rescore")
    single.score_attempt(submit(challenge, "atlas").pk)
    for number in range(12):
        gives(own, 10.0 if number % 2 else 99.0)
        sweep()
        single.score_attempt(submit(challenge, f"p{number}").pk)
        finish(challenge)
    assert ScoringConfig.objects.count() <= 5
    assert set(statuses()) == {"scored"}
    assert verify_standings(challenge) == []
    ScoringConfig.objects.update(created_at=Now() - 2 * code_changes.QUIET)
    sweep()
    assert len(set(values(finish(challenge)).values())) == 1
    assert len(numbers(challenge)) == 1


# A file that changes in the middle of a rescore.
