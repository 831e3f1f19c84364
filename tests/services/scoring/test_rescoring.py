"""A rescore builds the new board beside the old one, and switches when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import (
    Attempt,
    Challenge,
    RescoreSlice,
    Score,
    ScoringConfig,
    Standing,
    User,
)
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.sandbox import Outcome
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import page_after
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges import rescores
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.rescores import RescoreProgress, progress_of
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.scoring import rescoring, single, slices, stateful
from leaderboard.services.scoring.attempt_actions import act
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from leaderboard.services.scoring.sweeper import sweep
from tests.helpers.configs import rewrite
from tests.services.conftest import Submit
from tests.services.threads import at_once
from tests.services.workers import claimed, rescored


@pytest.fixture
def board(sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch) -> Challenge:
    """A changed order of ranking, and twenty scored attempts by five participants in slices of
    four."""
    monkeypatch.setattr(rescores, "SMALLEST_SLICE", 4)
    for number in range(20):
        submit(sprint, f"p{number % 5}", elapsed_ms=100 + number, tokens_total=200 - number)
    single.score_waiting()
    return change_challenge(sprint, user=None, fields={"scoring_strategy": "fewest_tokens"})


def leaders(challenge: Challenge) -> list[str]:
    challenge.refresh_from_db()
    return [row.participant.handle for row in page_after(board_at(challenge)).rows]


def test_the_board_switches_when_all_attempts_are_scored(board: Challenge) -> None:
    before, version = leaders(board), board.board_version
    config, attempts = rescoring.start_rescore(board)
    assert (config, attempts) == (board.newest, 20)
    assert leaders(board) == before == ["p0", "p1", "p2", "p3", "p4"]
    assert progress_of(config) == RescoreProgress(0, 20, False)
    assert rescoring.work_on(config.pk) == 5
    assert leaders(board) == before[::-1]
    assert board.shown == config
    assert board.board_version > version
    config.refresh_from_db()
    assert progress_of(config) == RescoreProgress(20, 20, True)
    assert verify_standings(board) == []
    assert not Standing.objects.exclude(board__config=config).exists()
    assert Score.objects.count() == 40, "what was scored before stays"


def test_a_rescore_is_started_once(board: Challenge) -> None:
    first, _ = rescoring.start_rescore(board)
    again, attempts = rescoring.start_rescore(board)
    assert (again, attempts) == (first, 20)
    assert RescoreSlice.objects.count() == 5


def test_an_unchanged_config_gets_a_new_number(sprint: Challenge, submit: Submit) -> None:
    single.score_attempt(submit(sprint, "atlas", elapsed_ms=1).pk)
    config, _ = rescoring.start_rescore(sprint)
    assert config.number == 2
    assert config.frozen_fields() == sprint.shown.frozen_fields()
    rescoring.work_on(config.pk)
    assert leaders(sprint) == ["atlas"]
    assert sprint.shown == config


def test_a_cancelled_attempt_gets_no_score(sprint: Challenge, submit: Submit, alice: User) -> None:
    attempt = submit(sprint, "atlas", elapsed_ms=1)
    act(attempt, "cancel", user=alice, organiser=False)
    single.score_attempt(submit(sprint, "boreas", elapsed_ms=2).pk)
    config = rescored(sprint)
    assert leaders(sprint) == ["boreas", "atlas"]
    score = Score.objects.get(attempt=attempt, config=config)
    assert (score.has_failed, score.error_code) == (True, "cancelled")
    assert verify_standings(sprint) == []


def test_the_version_of_a_board_never_comes_back(
    sprint: Challenge, submit: Submit, client: Client
) -> None:
    """Though the board of the new config has counted fewer changes."""

    def version() -> int:
        board_version: int = client.get("/api/v1/challenges/sprint/leaderboard/").json()["version"]
        return board_version

    for elapsed in (9, 8, 7, 6):
        single.score_attempt(submit(sprint, "atlas", elapsed_ms=elapsed).pk)
    before = version()
    rescored(sprint)
    assert version() > before


def test_a_challenge_without_attempts_needs_no_rescore(sprint: Challenge) -> None:
    config, attempts = rescoring.start_rescore(sprint)
    assert attempts == 0
    sprint.refresh_from_db()
    assert sprint.shown == config
    config.refresh_from_db()
    assert not config.is_rescoring


def test_attempts_that_arrive_meanwhile_are_on_both_boards(
    board: Challenge, submit: Submit
) -> None:
    config, _ = rescoring.start_rescore(board)
    single.score_attempt(submit(board, "late", elapsed_ms=1, tokens_total=1).pk)
    assert leaders(board)[0] == "late"
    rescoring.work_on(config.pk)
    assert leaders(board)[0] == "late"
    assert board.shown == config
    assert verify_standings(board) == []


def test_an_attempt_scored_while_the_board_switches_is_on_the_new_board(
    board: Challenge, submit: Submit
) -> None:
    """It was queued before the change and claimed before the switch; it is saved after the
    switch."""
    slow = submit(board, "slow", elapsed_ms=1, tokens_total=1)
    Attempt.objects.filter(pk=slow.pk).update(scoring_config=board.shown_config)
    claim = claimed(slow)
    config = rescored(board)
    assert board.shown == config
    assert single._score_claimed(claim)
    assert leaders(board)[0] == "slow"
    assert verify_standings(board) == []


def scored_again(board: Challenge, monkeypatch: pytest.MonkeyPatch) -> ScoringConfig:
    """A rescore of which only the switch is left."""
    config, _ = rescoring.start_rescore(board)
    with monkeypatch.context() as patched:
        patched.setattr(rescoring, "finish_if_done", lambda config_id: False)
        rescoring.work_on(config.pk)
    return config


def test_the_switch_reads_only_ids_of_attempts_with_scores(
    board: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be saved to the boards meanwhile, and there may be many recent attempts."""
    config = scored_again(board, monkeypatch)
    with CaptureQueriesContext(connection) as asked:
        assert rescoring.finish_if_done(config.pk)
    statements = [query["sql"] or "" for query in asked]
    assert any('"leaderboard_attempt"."id"' in statement for statement in statements)
    assert not any('"leaderboard_attempt"."tokens_total"' in statement for statement in statements)


def test_after_the_switch_other_workers_read_no_attempts_again(
    board: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = scored_again(board, monkeypatch)
    looks: list[int] = []
    switch, unscored = rescoring._switch, rescoring._unscored

    def counted(config: ScoringConfig, attempts: AttemptQuerySet) -> Any:
        looks.append(config.pk)
        return unscored(config, attempts)

    def late(config: ScoringConfig) -> bool:
        monkeypatch.setattr(rescoring, "_switch", switch)
        assert rescoring.finish_if_done(config.pk), "by another worker"
        looks.clear()
        return switch(config)

    monkeypatch.setattr(rescoring, "_unscored", counted)
    monkeypatch.setattr(rescoring, "_switch", late)
    assert not rescoring.finish_if_done(config.pk)
    assert looks == []
    assert verify_standings(board) == []


def test_an_interrupted_rescore_continues(
    board: Challenge, monkeypatch: pytest.MonkeyPatch, notifications: list[tuple[Any, ...]]
) -> None:
    config, _ = rescoring.start_rescore(board)

    def die(*args: Any, **kwargs: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(rescoring, "store_accepted", die)
        with pytest.raises(SystemExit):
            rescoring.work_on(config.pk)
    rescoring.work_on(config.pk)
    board.refresh_from_db()
    assert board.shown != config, "one slice is still leased to the worker that died"
    assert progress_of(config).done == 16
    RescoreSlice.objects.update(lease_until=Now() - timedelta(seconds=1))
    notifications.clear()
    sweep()
    assert notifications == [("rescore", config.pk)]
    rescoring.work_on(config.pk)
    board.refresh_from_db()
    assert board.shown == config
    assert verify_standings(board) == []


def test_a_result_that_cannot_be_stored_holds_no_rescore(
    board: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, _ = rescoring.start_rescore(board)
    custom(board)
    outcome = score_of(1.0)._replace(details={"at": float("inf")})

    def forged(config: ScoringConfig, attempts: Sequence[AttemptToScore], **_: Any) -> list[Any]:
        return [
            outcome if attempt.facts["elapsed_ms"] == 105 else score_of(2.0) for attempt in attempts
        ]

    monkeypatch.setattr(rescoring, "batch_outcomes", forged)
    rescoring.work_on(config.pk)
    board.refresh_from_db()
    assert board.shown == config
    refused = Score.objects.filter(config=config, error_code="invalid_result")
    assert refused.count() == 1
    assert Score.objects.filter(config=config, value=2.0).count() == 19


def test_a_newer_change_replaces_a_running_rescore(board: Challenge) -> None:
    given_up, _ = rescoring.start_rescore(board)
    board = change_challenge(board, user=None, fields={"scoring_strategy": "first"})
    config, _ = rescoring.start_rescore(board)
    assert config.number == given_up.number + 1
    assert rescoring.work_on(given_up.pk) == 0
    rescoring.work_on(config.pk)
    board.refresh_from_db()
    assert board.shown == config


def custom(challenge: Challenge) -> ScoringConfig:
    """Make the newest config of the challenge one that runs a scorer."""
    rewrite(
        ScoringConfig.objects.filter(pk=challenge.newest.pk),
        strategy="custom",
        entrypoint="scorers.weighted:WeightedScorer",
    )
    return ScoringConfig.objects.get(pk=challenge.newest.pk)


def score_of(value: float) -> Outcome:
    return NOTHING_TO_RUN._replace(value=value, raw_value=value)


def test_a_rescore_detects_a_scorer_that_keeps_state(
    board: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = custom(board)

    def counting(config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool) -> Any:
        return iter([score_of(1.0 if fresh else number) for number, _ in enumerate(attempts, 1)])

    monkeypatch.setattr(stateful, "outcomes", counting)
    rescoring.start_rescore(board)
    rescoring.work_on(config.pk)
    config.refresh_from_db()
    assert config.keeps_state
    assert set(Score.objects.filter(config=config).values_list("value", flat=True)) == {1.0}


def test_a_scorer_without_state_is_run_in_batches(
    board: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, together = custom(board), []

    def plain(config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool) -> Any:
        together.append((len(attempts), fresh))
        return iter([score_of(3.0)] * len(attempts))

    monkeypatch.setattr(stateful, "outcomes", plain)
    rescoring.start_rescore(board)
    rescoring.work_on(config.pk)
    config.refresh_from_db()
    assert not config.keeps_state
    assert together == [(1, True), (4, False), (3, True)] + [(4, False)] * 4


@pytest.fixture
def slow(board: Challenge, monkeypatch: pytest.MonkeyPatch) -> ScoringConfig:
    """A scorer so slow that there is time for one attempt only; all attempts are one slice."""
    monkeypatch.setattr(rescores, "SMALLEST_SLICE", 100)
    monkeypatch.setattr(rescoring, "SECONDS_TOGETHER", 0.0)
    config = custom(board)
    rescoring.start_rescore(board)
    return config


def test_fresh_attempts_are_scored_during_a_slice(
    slow: ScoringConfig, sprint: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Attempts of the slice may take seconds each, so fresh attempts must not wait for all of
    them."""
    monkeypatch.setattr(single, "SECONDS_OF_BACKGROUND_SCORING", 0.0)
    statuses: list[str] = []

    def noted(config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool) -> Any:
        if not statuses:
            submit(sprint, "fresh", elapsed_ms=1, tokens_total=1)
        statuses.append(Attempt.objects.get(participant__handle="fresh").status)
        return iter([score_of(3.0)] * len(attempts))

    monkeypatch.setattr(stateful, "outcomes", noted)
    claimed_slice = slices.claim_slice(slow.pk)
    assert claimed_slice is not None
    assert rescoring._score_slice(claimed_slice, 100.0)
    assert statuses[:2] == ["queued", "scored"], "they wait for one attempt only"
    assert len(statuses) > 5


def test_a_slow_slice_is_paused(slow: ScoringConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a worker that is told to stop does so soon. The scores that it has are kept."""
    monkeypatch.setattr(rescoring, "SECONDS_PER_TIME_SLICE", 0.0)
    claimed_slice = slices.claim_slice(slow.pk)
    assert claimed_slice is not None
    assert not rescoring._score_slice(claimed_slice, 0.0)
    assert Score.objects.filter(config=slow).count() == 1
    claimed_slice.refresh_from_db()
    assert (claimed_slice.done, claimed_slice.deliveries, claimed_slice.lease_token) == (
        False,
        0,
        None,
    )
    monkeypatch.undo()
    rescoring.work_on(slow.pk)
    assert Score.objects.filter(config=slow).count() == 20
    slow.refresh_from_db()
    assert slow.rescore_finished_at is not None


def test_the_command_waits_and_shows_progress(
    board: Challenge, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("rescore", board.slug, "--wait")
    output = capsys.readouterr().out
    assert "20 attempts" in output
    assert "20 / 20" in output
    assert output.endswith("version 2\n")


@pytest.mark.django_db(transaction=True)
def test_workers_share_a_rescore(board: Challenge, submit: Submit) -> None:
    config, _ = rescoring.start_rescore(board)
    for number in range(6):
        submit(board, f"p{number}", elapsed_ms=1, tokens_total=1)

    works: list[Callable[[], int]] = [single.score_waiting, partial(rescoring.work_on, config.pk)]
    at_once(works * 2)
    rescoring.finish_if_done(config.pk)
    board.refresh_from_db()
    assert board.shown == config
    assert verify_standings(board) == []
    assert Score.objects.filter(config=config).count() == 26
