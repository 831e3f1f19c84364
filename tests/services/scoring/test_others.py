"""A batch of history ends after the current attempt when other attempts must not wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from django.db.models import F

from leaderboard.models import Attempt, Challenge, ScoringConfig, Tenant, User
from leaderboard.sandbox import Outcome
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.scoring import batch_claims, measure, others, single, stateful
from leaderboard.services.scoring.batch_claims import BatchClaim
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.others import others_wait
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from tests.services.workers import lose_workers

Come = Callable[[], object]
During = Callable[[int, Come], None]

HISTORY, FRESH = True, False


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check for waiting attempts after each attempt, however short it is."""
    monkeypatch.setattr(others, "SECONDS_PER_LOOK", 0.0)
    monkeypatch.setattr(batch_claims, "_sizes", {})


@pytest.fixture
def board(tenant: Tenant, alice: User) -> Challenge:
    """A challenge that uses a scorer."""
    fields = {
        "name": "Asked",
        "scoring_strategy": "custom",
        "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    }
    return create_challenge(tenant=tenant, user=alice, fields=fields)


@pytest.fixture
def send(alice: User) -> Callable[..., None]:
    def sent(challenge: Challenge, count: int, *, history: bool) -> None:
        news = [NewAttempt(f"p{at}", {"succeeded": True, "elapsed_ms": 5}) for at in range(count)]
        submit_many(challenge=challenge, user=alice, news=news, organiser=history)
        if history:  # in a bulk request, a single attempt would count as fresh
            challenge.attempts.update(priority=Attempt.Priority.HISTORY)

    return sent


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> During:
    """Return a function that calls `come` while a scorer works on its n-th attempt."""

    def at(number: int, come: Come) -> None:
        asked = 0

        def outcomes(
            config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool
        ) -> Iterator[Outcome]:
            nonlocal asked
            for _ in attempts:
                asked += 1
                if asked == number:
                    come()
                yield NOTHING_TO_RUN._replace(value=1.0, raw_value=1.0)

        monkeypatch.setattr(stateful, "outcomes", outcomes)

    return at


def scored(challenge: Challenge) -> int:
    return challenge.attempts.filter(status="scored").count()


def waits_as_before(challenge: Challenge, count: int) -> bool:
    rows = challenge.attempts.filter(status="queued").values_list("deliveries", "lease_token")
    return list(rows) == [(0, None)] * count


@pytest.mark.parametrize(
    ("history", "count", "waits"),
    [(FRESH, 1, True), (FRESH, 3, True), (HISTORY, 1, True), (HISTORY, 2, False)],
)
def test_which_attempts_of_another_tenant_history_waits_for(
    sprint: Challenge,
    north: Challenge,
    send: Callable[..., None],
    history: bool,
    count: int,
    waits: bool,
) -> None:
    send(sprint, 5, history=HISTORY)
    assert not others_wait(sprint.tenant_id)
    send(north, count, history=history)
    assert others_wait(sprint.tenant_id) is waits


def test_a_fresh_attempt_of_the_same_tenant_need_not_wait_for_history(
    sprint: Challenge, send: Callable[..., None]
) -> None:
    send(sprint, 1, history=HISTORY)
    assert not others_wait(sprint.tenant_id)
    send(sprint, 1, history=FRESH)
    assert others_wait(sprint.tenant_id)


def test_a_claimed_attempt_does_not_count_as_waiting(
    sprint: Challenge, north: Challenge, send: Callable[..., None]
) -> None:
    send(north, 1, history=FRESH)
    assert claim_next("short") is not None
    assert not others_wait(sprint.tenant_id)
    lose_workers()
    assert others_wait(sprint.tenant_id), "its worker is lost"
    Attempt.objects.update(deliveries=F("deliveries") + 10)
    assert not others_wait(sprint.tenant_id), "it is given up"


def test_history_is_scored_one_by_one_while_another_tenant_waits(
    sprint: Challenge, north: Challenge, send: Callable[..., None]
) -> None:
    send(sprint, 10, history=HISTORY)
    send(north, 2, history=FRESH)
    for _ in range(4):
        assert single.score_next()
    assert (scored(sprint), scored(north)) == (2, 2)
    assert isinstance(claim_next("short", batches=True), BatchClaim)


@pytest.mark.parametrize("where", ["north", "board"])
def test_a_batch_ends_after_the_current_attempt(
    board: Challenge, north: Challenge, send: Callable[..., None], during: During, where: str
) -> None:
    """In a small batch each attempt has a child of its own, so each counts as current."""
    send(board, 5, history=HISTORY)
    comes = {"north": north, "board": board}[where]
    during(2, lambda: send(comes, 1, history=FRESH))
    assert single.score_next()
    assert scored(board) == 2
    before = scored(comes)
    assert single.score_next()
    assert scored(comes) == before + 1
    assert comes.attempts.get(priority=Attempt.Priority.FRESH).status == "scored"
    assert waits_as_before(board, 3)
    assert verify_standings(board) == []


@pytest.mark.parametrize("number", [1, 2, 21, 22, 26])
def test_an_interrupted_batch_keeps_its_first_score_until_the_others_are_confirmed(
    board: Challenge, north: Challenge, send: Callable[..., None], during: During, number: int
) -> None:
    """The first attempt has its own child, twenty share one, the last five have their own again."""
    send(board, 20, history=HISTORY)
    during(number, lambda: send(north, 1, history=FRESH))
    assert single.score_next()
    assert scored(board) == (20 if number == 26 else 1)
    assert single.score_next()
    assert scored(north) == 1
    while single.score_next():
        pass
    assert scored(board) == 20
    assert verify_standings(board) == []


def test_an_interrupted_batch_keeps_all_confirmed_scores(
    board: Challenge, north: Challenge, send: Callable[..., None], during: During
) -> None:
    batch_claims._sizes[board.newest.pk] = 150
    send(board, 150, history=HISTORY)
    during(1 + 100 + 5 + 7, lambda: send(north, 1, history=FRESH))
    assert single.score_next()
    assert scored(board) == 107
    assert batch_claims._sizes[board.newest.pk] == 150, "how many there is time for is not known"


def test_a_batch_can_be_interrupted_while_metrics_are_computed(
    jobs: Challenge, alice: User, north: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    news = [NewAttempt(f"p{at}", {}, task_rewards={"a": [1.0]}) for at in range(5)]
    submit_many(challenge=jobs, user=alice, news=news, organiser=HISTORY)
    measured, measured_attempts = measure.measured, []

    def slowly(config: ScoringConfig, attempt: AttemptToScore) -> AttemptToScore:
        measured_attempts.append(attempt)
        if len(measured_attempts) == 2:
            submit_attempt(challenge=north, user=alice, new=NewAttempt("b", {"elapsed_ms": 5}))
        return measured(config, attempt)

    monkeypatch.setattr(measure, "measured", slowly)
    assert single.score_next()
    assert len(measured_attempts) == 2
    assert scored(jobs) == 1
    assert single.score_next()
    assert scored(north) == 1
