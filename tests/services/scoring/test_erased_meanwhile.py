"""Accounts that are deleted while workers score their attempts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, MetricRun, Score, ScoringConfig, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.evaluation import evaluate
from leaderboard.services.scoring import rescoring, single
from tests.services.conftest import Bring, Submit
from tests.services.evaluation.evaluating import Make, nine, scored

pytestmark = [pytest.mark.usefixtures("in_house"), pytest.mark.django_db(transaction=True)]

WAYS = {
    "samples": {"task_rewards": {"a": [1.0], "b": [0.0]}},
    "instances": {"evaluation": nine("words")},
}
Erase = Callable[[Any, str], None]


@pytest.fixture
def erase_before(alice: User, monkeypatch: pytest.MonkeyPatch) -> Erase:
    """Delete alice's account just before a function is called for the first time."""

    def erase(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def late(*arguments: Any) -> Any:
            for user in User.objects.filter(pk=alice.pk):
                erase_account(user)
            return function(*arguments)

        monkeypatch.setattr(owner, name, late)

    return erase


def finish(challenge: Challenge, config: ScoringConfig) -> None:
    for _ in range(3):
        rescoring.work_on(config.pk)
    challenge.refresh_from_db()
    assert challenge.shown == config
    assert verify_standings(challenge) == []


def test_a_rescore_stores_no_texts_of_a_deleted_account(
    sprint: Challenge, submit: Submit, bob: User, erase_before: Erase
) -> None:
    erased = submit(sprint, "atlas", elapsed_ms=100, tokens_total=4, rating=3)
    other = submit(sprint, "borea", elapsed_ms=100, tokens_total=4, rating=3)
    other.participant.owner = bob
    other.participant.save()
    single.score_waiting()
    weighted = "scorers.weighted:WeightedScorer"
    fields = {"scoring_strategy": "custom", "scoring_entrypoint": weighted}
    change_challenge(sprint, user=None, fields=fields)
    config, _ = rescoring.start_rescore(sprint)
    erase_before(rescoring, "store_accepted")
    finish(sprint, config)
    scores = {score.attempt_id: score for score in Score.objects.filter(config=config)}
    assert scores[erased.pk].details is None
    assert scores[other.pk].details is not None
    assert scores[erased.pk].value == scores[other.pk].value


@pytest.mark.parametrize("evidence", WAYS.values(), ids=WAYS)
def test_a_rescore_goes_on_without_erased_evidence(
    make: Make, bring: Bring, erase_before: Erase, evidence: Any
) -> None:
    challenge = make("words")
    for name in ("atlas", "borea"):
        scored(bring(challenge, name, **evidence))
    config, _ = rescoring.start_rescore(challenge)
    erase_before(rescoring, "measured_batches")
    finish(challenge, config)
    assert Score.objects.filter(config=config).count() == 2


def test_a_rescore_goes_on_if_the_outputs_are_erased_before_results_are_stored(
    make: Make, bring: Bring, erase_before: Erase
) -> None:
    challenge = make("words")
    for name in ("atlas", "borea"):
        scored(bring(challenge, name, evaluation=nine("words")))
    config, _ = rescoring.start_rescore(challenge)
    erase_before(evaluate._Store, "now")
    finish(challenge, config)
    assert not MetricRun.objects.exists()


@pytest.mark.parametrize("evidence", WAYS.values(), ids=WAYS)
def test_a_worker_drops_an_attempt_that_is_erased_before_it_is_measured(
    make: Make, bring: Bring, erase_before: Erase, evidence: Any
) -> None:
    challenge = make("words")
    bring(challenge, **evidence)
    erase_before(single, "_measured")
    single.score_waiting()
    assert not Attempt.objects.exists()


def test_a_worker_drops_an_attempt_that_is_erased_between_blocks(
    make: Make, bring: Bring, erase_before: Erase
) -> None:
    bring(make("words"), evaluation=nine("words"))
    erase_before(evaluate._Store, "now")
    single.score_waiting()
    assert not Attempt.objects.exists()
