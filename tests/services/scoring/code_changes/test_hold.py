"""`on_code_change: hold`: attempts wait for an organiser when a file changes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client

from leaderboard.models import Attempt, Challenge, Score, ScoringConfig, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges import code_changes
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.code_changes import code_state, decide
from leaderboard.services.errors import ServiceError
from leaderboard.services.operations.health import oldest_waiting_seconds
from leaderboard.services.scoring import acceptance, single
from leaderboard.services.scoring.attempt_actions import cancel_attempt
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.rescoring import start_rescore
from leaderboard.services.scoring.sweeper import sweep
from tests.helpers.attempts import score_all
from tests.plugin_files import write
from tests.services.conftest import Submit
from tests.services.refusals import refusal
from tests.services.scoring.code_changes.changing import (
    Make,
    ScoreOne,
    finish,
    gives,
    numbers,
    statuses,
    values,
)


def test_new_attempts_are_held(changed: Make, submit: Submit) -> None:
    challenge = changed("hold")
    challenge.refresh_from_db()
    before = challenge.board_version
    attempt = submit(challenge, "borea")
    assert single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.lease_token, attempt.deliveries) == ("held", None, 0)
    assert values(challenge) == {"atlas": 10.0}
    assert challenge.board_version > before
    state = code_state(challenge)
    assert (state.changed, state.held, len(state.editions)) == (True, 1, 1)


def test_held_attempts_wait_without_a_time_limit(
    holding: Challenge,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
) -> None:
    held = [submit(holding, f"p{number}") for number in range(20)]
    assert single.score_waiting() == 20
    Attempt.objects.update(queued_at=Now() - 1000 * code_changes.QUIET)
    notifications.clear()
    for _ in range(4):
        assert sweep() == 0
        assert not single.score_attempt(held[0].pk)
    assert notifications == []
    assert statuses() == ["held"] * 20
    assert oldest_waiting_seconds() is None
    assert single.score_waiting() == 0


def test_held_attempts_do_not_block_others(
    holding: Challenge, sprint: Challenge, submit: Submit
) -> None:
    for number in range(20):
        submit(holding, f"p{number}")
    other = submit(sprint, "zephyr", elapsed_ms=5)
    while single.score_waiting(limit=8):
        pass
    other.refresh_from_db()
    assert other.status == "scored"
    assert statuses().count("held") == 20


def test_restored_files_release_held_attempts(changed: Make, own: Path, score: ScoreOne) -> None:
    challenge = changed("hold")
    score(challenge, "borea")
    gives(own, 10.0)
    sweep()
    assert statuses() == ["scored", "queued"]
    single.score_waiting()
    assert values(challenge) == {"atlas": 10.0, "borea": 10.0}
    assert numbers(challenge) == [2]


def test_the_decision_to_go_on_scores_held_attempts_by_the_new_code(
    changed: Make,
    own: Path,
    notifications: list[tuple[Any, ...]],
    score: ScoreOne,
) -> None:
    challenge = changed("hold")
    score(challenge, "borea")
    notifications.clear()
    decide(challenge, "go_on")
    single.score_waiting()
    assert values(challenge) == {"borea": 99.0, "atlas": 10.0}
    assert numbers(challenge) == [1, 1]
    score(challenge, "cirrus")
    assert statuses() == ["scored"] * 3
    gives(own, 5.0)
    score(challenge, "dune")
    assert statuses()[-1] == "held", "each change is a question of its own"
    assert challenge.shown.number == 1


def test_released_attempts_and_those_that_wait_take_turns(
    holding: Challenge, sprint: Challenge, submit: Submit
) -> None:
    """Released attempts arrived long ago, and waited for an organiser and not for a worker."""
    held = [submit(holding, "atlas") for _ in range(120)] + [submit(holding, "borea")]
    score_all()
    Attempt.objects.update(due_at=F("due_at") - timedelta(days=1))
    waiting = [submit(sprint, "zephyr", elapsed_ms=5) for _ in range(5)]
    decide(holding, "go_on")
    submit(sprint, "dune", elapsed_ms=5)
    order: list[Attempt] = []
    while claimed := claim_next("short"):
        order.append(claimed.attempt)
    assert len(order) == 127
    assert [attempt.pk for attempt in order if attempt in held[:120]] == [
        attempt.pk for attempt in held[:120]
    ]
    names = [attempt.participant.slug for attempt in order]
    assert [at for at, attempt in enumerate(order) if attempt in waiting] == [0, 4, 6, 8, 10]
    assert sorted(names[1:4]) == ["atlas", "borea", "dune"]


def test_the_decision_to_rescore_uses_the_new_code(
    changed: Make, submit: Submit, score: ScoreOne
) -> None:
    challenge = changed("hold")
    held = score(challenge, "borea")
    config = decide(challenge, "rescore")
    assert config.number == 2
    late = submit(challenge, "cirrus")
    for attempt in (held, late):
        assert single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        assert (attempt.status, attempt.scoring_config.number) == ("scored", 2)
    assert values(challenge) == {"atlas": 10.0}, "the board of the old code takes no others"
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0, "cirrus": 99.0}
    assert numbers(challenge) == [3]
    assert verify_standings(challenge) == []
    assert not code_state(challenge).changed


def test_any_rescore_by_an_organiser_uses_the_new_code(changed: Make, score: ScoreOne) -> None:
    challenge = changed("hold")
    score(challenge, "borea")
    start_rescore(challenge)
    single.score_waiting()
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0}


def test_temporarily_missing_files_fail_no_attempt(made: Make, own: Path, score: ScoreOne) -> None:
    challenge = made("hold")
    text = own.read_text()
    own.unlink()
    score(challenge, "atlas")
    sweep()
    assert statuses() == ["held"]
    decisions: list[code_changes.CodeDecision] = ["go_on", "rescore"]
    for decision in decisions:
        with pytest.raises(ServiceError):
            decide(challenge, decision)
    write(own, text)
    sweep()
    single.score_waiting()
    assert values(challenge) == {"atlas": 10.0}


def test_missing_files_do_not_change_the_board(made: Make, own: Path, score: ScoreOne) -> None:
    """Under `rescore`, every attempt would fail."""
    challenge = made("rescore")
    score(challenge, "atlas")
    own.unlink()
    sweep()
    attempt = score(challenge, "borea")
    sweep()
    assert attempt.scores.get().error_code == "load_error"
    assert ScoringConfig.objects.count() == 1
    assert values(challenge) == {"atlas": 10.0}


def test_another_setting_releases_held_attempts(changed: Make, score: ScoreOne) -> None:
    challenge = changed("hold")
    score(challenge, "borea")
    edited = change_challenge(challenge, user=None, fields={"on_code_change": "warn"})
    assert edited.newest.number == 1, "it is no change of how attempts are scored"
    single.score_waiting()
    assert values(challenge) == {"borea": 99.0, "atlas": 10.0}


def test_a_change_during_scoring_is_noticed_before_the_score_is_saved(
    made: Make, own: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = made("hold")
    attempt = submit(challenge, "atlas")
    look = acceptance.plan

    def change(claimed: Any) -> Any:
        planned = look(claimed)
        gives(own, 99.0)
        return planned

    monkeypatch.setattr("leaderboard.services.scoring.single.plan", change)
    assert single.score_attempt(attempt.pk)
    assert statuses() == ["held"]
    assert not Score.objects.exists()


def test_attempts_of_a_config_that_is_not_shown_are_held_too(
    changed: Make, score: ScoreOne
) -> None:
    challenge = changed("hold")
    change_challenge(challenge, user=None, fields={"timeout_ms": 4000})
    score(challenge, "borea")
    assert statuses() == ["scored", "held"], "the shown board is of the old code"
    start_rescore(challenge)
    single.score_waiting()
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0}
    assert numbers(challenge) == [2]


@pytest.mark.parametrize("limit", ["MAX_WAITING", "MAX_WAITING_TENANT"])
def test_held_attempts_count_among_those_that_wait(
    holding: Challenge, submit: Submit, alice: User, settings: Any, limit: str
) -> None:
    setattr(settings, limit, 3)
    for _ in range(2):
        submit(holding, "borea")
    single.score_waiting()
    submit(holding, "borea")
    assert refusal(lambda: submit(holding, "borea")).code == "throttled"
    news = [NewAttempt("borea"), NewAttempt("cirrus")]
    if limit == "MAX_WAITING":
        rejected = submit_many(challenge=holding, user=alice, news=news).rejected
        assert [position for position, _ in rejected] == [0]
    decide(holding, "go_on")
    score_all()
    submit(holding, "borea")


def test_held_attempts_count_towards_the_limit_of_those_at_once(
    holding: Challenge, submit: Submit, alice: User
) -> None:
    change_challenge(holding, user=None, fields={"phases": [{"slug": "main", "at_once": 1}]})
    attempt = submit(holding, "borea")
    single.score_waiting()
    with pytest.raises(ServiceError, match="1") as refused:
        submit(holding, "borea")
    assert refused.value.code == "quota"
    rejected = submit_many(challenge=holding, user=alice, news=[NewAttempt("borea")] * 2).rejected
    assert [refused.code for _, refused in rejected] == ["quota", "quota"]
    cancel_attempt(attempt)
    submit(holding, "borea")


def test_attempts_of_organisers_that_are_held_do_not_count(
    holding: Challenge, submit: Submit, alice: User, settings: Any
) -> None:
    settings.MAX_WAITING = 2
    history = [NewAttempt("borea")] * 5
    submit_many(challenge=holding, user=alice, news=history, organiser=True)
    score_all()
    assert statuses() == ["held"] * 5
    submit(holding, "borea")


def test_the_board_is_told_of_held_attempts_that_are_erased(changed: Make) -> None:
    challenge = changed("hold")
    bob = User.objects.create_user("bob")
    submit_many(challenge=challenge, user=bob, news=[NewAttempt("borea")])
    single.score_waiting()
    board = "/api/v1/challenges/own/leaderboard/"
    before = Client().get(board)
    erase_account(bob)
    after = Client().get(board)
    assert (before.json()["held"], after.json()["held"]) == (1, 0)
    assert after.headers["ETag"] != before.headers["ETag"]
