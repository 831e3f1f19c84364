"""History that an organiser brings is scored in batches: quickly, in its turn, and each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Score, ScoringConfig, Tenant, User
from leaderboard.sandbox import IsolationMissing, Outcome
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.board.standings import verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.scoring import (
    batch_claims,
    claims,
    history,
    others,
    rescoring,
    single,
    stateful,
)
from leaderboard.services.scoring.batch_claims import BatchClaim
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from leaderboard.services.scoring.sweeper import sweep
from tests.configs import rewrite
from tests.plugin_files import folder_with, plugins, write
from tests.services.conftest import Submit

Bring = Callable[..., None]

SCORER = """
import os

class Steps:
    seen = 0

    def score(self, metrics, config, ctx):
        Steps.seen += 1
        if metrics["elapsed_ms"] == 7:
            os._exit(3)
        return {"score": {score}}
"""


@pytest.fixture(autouse=True)
def sizes(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """What this process has learned of the speed of scorers: nothing. A batch may take long."""
    monkeypatch.setattr(history, "SECONDS_PER_BATCH", 600.0)
    monkeypatch.setattr(others, "SECONDS_PER_LOOK", 600.0)
    found: dict[int, int] = {}
    monkeypatch.setattr(batch_claims, "_sizes", found)
    return found


@pytest.fixture
def bring(alice: User) -> Bring:
    """Have an organiser bring attempts: `bring(challenge, 20)`."""

    def brought(challenge: Challenge, count: int, who: str = "p", **evidence: Any) -> None:
        news = [
            NewAttempt(f"{who}{at % 7}", {"succeeded": True, "elapsed_ms": 100 + at}, **evidence)
            for at in range(count)
        ]
        found = submit_many(challenge=challenge, user=alice, news=news, organiser=True)
        assert len(found.accepted) == count

    return brought


@pytest.fixture
def north(alice: User) -> Challenge:
    tenant = Tenant.objects.create(slug="north", name="North")
    fields = {"name": "North", "scoring_strategy": "fastest"}
    return create_challenge(tenant=tenant, user=alice, fields=fields)


@pytest.fixture
def own() -> Iterator[Path]:
    """A scorer that gives the time it is told, and ends its process at 7."""
    files = {"own/steps.py": SCORER.replace("{score}", 'float(metrics["elapsed_ms"])')}
    with folder_with(files) as folder, plugins(folder, "own"):
        yield folder / "own" / "steps.py"


@pytest.fixture
def scored_by(tenant: Tenant, own: Path) -> Callable[..., Challenge]:
    def challenge(**fields: Any) -> Challenge:
        given = {
            "name": "Own",
            "scoring_strategy": "custom",
            "scoring_entrypoint": "own.steps:Steps",
            **fields,
        }
        return create_challenge(tenant=tenant, user=None, fields=given)

    return challenge


def statuses() -> Counter[str]:
    return Counter(Attempt.objects.values_list("status", flat=True))


def due(attempts: QuerySet[Attempt]) -> list[datetime]:
    """Their places, of which several participants may have the same."""
    return list(attempts.order_by("due_at").values_list("due_at", flat=True))


def batch() -> BatchClaim:
    found = claim_next("short", batches=True)
    assert isinstance(found, BatchClaim)
    return found


def lose_workers() -> None:
    """Whoever has a lease is dead, and that was a while ago."""
    Attempt.objects.leased().update(lease_until=Now() - timedelta(seconds=1))


def is_right(challenge: Challenge) -> bool:
    """Whether each attempt has one score, and the board shows it."""
    challenge.refresh_from_db()
    scores = Counter(Score.objects.values_list("attempt_id", "config_id"))
    return set(scores.values()) == {1} and verify_standings(challenge) == []


def test_one_claim_scores_many(sprint: Challenge, bring: Bring) -> None:
    bring(sprint, 60)
    assert single.score_next()
    assert statuses() == {"scored": 60}
    assert not single.score_next()
    assert is_right(sprint)


def test_statements_do_not_grow(sprint: Challenge, bring: Bring) -> None:
    counts = []
    for number in (10, 10, 80):
        bring(sprint, number)
        with CaptureQueriesContext(connection) as queries:
            assert single.score_next()
        counts.append(len(queries))
    assert statuses() == {"scored": 100}
    assert counts[2] == counts[1] < 40, counts


def test_a_fresh_attempt_comes_before_the_next_batch(
    sprint: Challenge, bring: Bring, submit: Submit, sizes: dict[int, int]
) -> None:
    sizes[sprint.newest.pk] = 5
    bring(sprint, 50)
    assert single.score_next()
    assert statuses() == {"scored": 5, "queued": 45}
    fresh = submit(sprint, "atlas", elapsed_ms=5)
    assert single.score_next()
    fresh.refresh_from_db()
    assert fresh.status == "scored"
    assert statuses() == {"scored": 6, "queued": 45}


def test_another_tenant_waits_for_one_batch(
    sprint: Challenge, north: Challenge, bring: Bring, submit: Submit, sizes: dict[int, int]
) -> None:
    sizes[sprint.newest.pk] = 5
    bring(sprint, 200)
    assert single.score_next()
    fresh = submit(north, "boreas", elapsed_ms=5)
    for _ in range(2):
        assert single.score_next()
    fresh.refresh_from_db()
    assert fresh.status == "scored"


def test_a_batch_ends_after_a_while(
    scored_by: Callable[..., Challenge],
    bring: Bring,
    sizes: dict[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What there was no time for waits in its old place, as if nobody had claimed it."""
    challenge = scored_by()
    bring(challenge, 20)
    order = due(Attempt.objects.all())
    monkeypatch.setattr(history, "SECONDS_PER_BATCH", 0.0)
    for number in range(1, 4):
        assert single.score_next()
        assert due(Attempt.objects.filter(status="scored")) == order[:number]
        assert sizes[challenge.newest.pk] == batch_claims.LEAST
    waiting = Attempt.objects.queued()
    assert set(waiting.values_list("deliveries", "lease_token", "lease_until")) == {(0, None, None)}
    assert due(waiting) == order[3:]
    assert is_right(challenge)


def test_batches_grow_with_the_speed(sprint: Challenge, bring: Bring) -> None:
    bring(sprint, 600)
    worked = []
    while single.score_next():
        worked.append(statuses()["scored"])
    assert worked == [100, 500, 600]


def test_batches_are_as_large_as_there_is_time_for(sizes: dict[int, int]) -> None:
    def learned(claimed: int, scored: int, possible: int) -> int:
        batch_claims.learn_size(7, claimed=claimed, scored=scored, possible=possible)
        return sizes[7]

    assert learned(100, 12, 12) == 12, "no more than there was time for"
    assert learned(12, 12, 13) == 13
    assert learned(13, 13, 900) == 52, "four times as many at most"
    assert learned(52, 52, 900) == 208
    assert learned(5, 5, 150) == 150, "few that wait say less of the speed than many"
    assert learned(3, 3, 5000) == 150
    assert learned(150, 1, 1) == 2, "it could not grow from one"
    sizes[7] = 800
    assert learned(800, 800, 5000) == 1000


def test_a_lost_batch_comes_again(sprint: Challenge, bring: Bring) -> None:
    bring(sprint, 50)
    lost = batch()
    assert lost.count == 50
    lose_workers()
    assert sweep() > 0
    assert single.score_waiting() == 50
    assert history.score_batch(lost) == 0, "whoever comes late stores nothing"
    assert statuses() == {"scored": 50}
    assert is_right(sprint)


def test_a_worker_dies_while_it_saves(
    sprint: Challenge, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(sprint, 50)

    def die(*args: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(history, "store", die)
        with pytest.raises(SystemExit):
            single.score_next()
    assert statuses() == {"scoring": 50}
    lose_workers()
    assert single.score_waiting() == 50
    assert is_right(sprint)


def test_a_late_worker_keeps_what_nobody_else_has(sprint: Challenge, bring: Bring) -> None:
    """Some of a batch whose lease ran out were taken by another worker: the rest waits again."""
    bring(sprint, 50)
    late = batch()
    assert late.count == 50
    lose_workers()
    assert batch().count == batch_claims.AFTER_LOSSES[1]
    assert history.score_batch(late) == 0
    assert statuses() == {"scoring": 30, "queued": 20}
    lose_workers()
    assert single.score_waiting() == 50
    assert is_right(sprint)


def test_only_what_kills_workers_is_given_up(sprint: Challenge, bring: Bring) -> None:
    """Each worker that is lost leaves fewer suspects."""
    bring(sprint, 50)
    poison = Attempt.objects.order_by("due_at")[3].pk
    taken = []
    while found := claim_next("short", batches=True):
        ids = {each.pk for each in found.attempts} if isinstance(found, BatchClaim) else set()
        taken.append(found.count)
        if poison in ids | {found.attempt.pk}:
            lose_workers()
        else:
            single._score_claimed(found)
    assert taken[:2] == [50, 30]
    assert set(taken[2:]) == {1, 20}
    assert single.give_up_lost() == 1
    assert statuses() == {"scored": 49, "failed": 1}
    assert Score.objects.get(attempt=poison).error_code == "worker_lost"
    assert is_right(sprint)


def test_attempts_of_other_configs_are_other_batches(
    sprint: Challenge, alice: User, bring: Bring
) -> None:
    """And what came under an older config has a score under its own and the shown one."""
    before = sprint.shown
    change_challenge(sprint, user=alice, fields={"scoring_strategy": "first"})
    config, _ = rescoring.start_rescore(sprint)
    sprint.refresh_from_db()
    assert sprint.shown == config
    bring(sprint, 40)
    old = Attempt.objects.order_by("-due_at")[:20].values_list("pk", flat=True)
    Attempt.objects.filter(pk__in=list(old)).update(scoring_config=before)
    claimed = batch()
    assert claimed.count == 20
    assert single._score_claimed(claimed) == 20
    assert single.score_waiting() == 20
    assert Score.objects.filter(config=sprint.shown).count() == 40
    assert Score.objects.count() == 60
    assert is_right(sprint)


def test_one_that_crashes_leaves_the_others(
    scored_by: Callable[..., Challenge], alice: User
) -> None:
    challenge = scored_by()
    news = [NewAttempt("p", {"elapsed_ms": at}) for at in range(1, 21)]
    submit_many(challenge=challenge, user=alice, news=news, organiser=True)
    assert single.score_next()
    assert statuses() == {"scored": 19, "failed": 1}
    assert Score.objects.get(attempt__elapsed_ms=7).error_code == "crashed"
    values = Score.objects.filter(error_code="").values_list("value", "attempt__elapsed_ms")
    assert all(value == told for value, told in values)
    assert is_right(challenge)


def test_a_scorer_that_keeps_state_is_found_out(
    scored_by: Callable[..., Challenge], own: Path, bring: Bring
) -> None:
    challenge = scored_by()
    write(own, SCORER.replace("{score}", "float(Steps.seen)"))
    bring(challenge, 20)
    assert single.score_next()
    assert statuses() == {"scored": 20}
    assert set(Score.objects.values_list("value", flat=True)) == {1.0}
    assert ScoringConfig.objects.get(pk=challenge.newest.pk).keeps_state


def test_few_are_scored_in_fresh_children(
    sprint: Challenge, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, bool]] = []

    def noted(config: ScoringConfig, those: Sequence[AttemptToScore], *, fresh: bool) -> Any:
        asked.append((len(those), fresh))
        return iter([NOTHING_TO_RUN] * len(those))

    monkeypatch.setattr(stateful, "outcomes", noted)
    rewrite(
        ScoringConfig.objects.filter(pk=sprint.newest.pk),
        strategy="custom",
        entrypoint="scorers.weighted:WeightedScorer",
    )
    bring(sprint, 5)
    single.score_next()
    bring(sprint, 20)
    single.score_next()
    assert asked == [(5, True), (1, True), (20, False), (5, True)]


def test_a_host_that_may_not_score_gives_all_back(
    sprint: Challenge, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_here(*args: Any, **options: Any) -> Iterator[Outcome]:
        raise IsolationMissing(["network"])

    bring(sprint, 20)
    monkeypatch.setattr(stateful, "outcomes", not_here)
    for _ in range(claims.MAX_DELIVERIES + 1):
        with pytest.raises(IsolationMissing):
            single.score_waiting()
    rows = Attempt.objects.values_list("status", "deliveries", "lease_token")
    assert set(rows) == {("queued", 0, None)}
    monkeypatch.undo()
    assert single.score_waiting() == 20


def test_a_batch_is_held(scored_by: Callable[..., Challenge], own: Path, bring: Bring) -> None:
    challenge = scored_by(on_code_change="hold")
    write(own, SCORER.replace("{score}", "99.0"))
    bring(challenge, 20)
    assert single.score_waiting() == 20
    assert set(Attempt.objects.values_list("status", "deliveries")) == {("held", 0)}


def test_code_that_changes_under_a_batch(
    scored_by: Callable[..., Challenge],
    own: Path,
    bring: Bring,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it made is thrown away: the code is not the board's."""
    challenge = scored_by(on_code_change="hold")
    bring(challenge, 20)
    results = history._results

    def changing(*args: Any) -> Any:
        write(own, SCORER.replace("{score}", "99.0"))
        return results(*args)

    monkeypatch.setattr(history, "_results", changing)
    assert single.score_waiting() == 20
    assert statuses() == {"held": 20}
    assert not Score.objects.exists()


def test_samples_are_measured(jobs: Challenge, bring: Bring) -> None:
    bring(jobs, 20, task_rewards={"a": [1.0, 0.0]})
    assert single.score_next()
    values = Score.objects.values_list("metric_values", flat=True)
    assert len(values) == 20
    assert all(value["mean"]["value"] == 0.5 for value in values)
    assert is_right(jobs)


@pytest.fixture
def jobs(tenant: Tenant, alice: User) -> Challenge:
    fields: dict[str, Any] = {"name": "Jobs", "scoring_strategy": "metric", "metrics": ["mean"]}
    fields |= {"rank_by": [{"key": "mean", "direction": "desc"}], "tasks": [{"name": "a"}]}
    return create_challenge(tenant=tenant, user=alice, fields=fields)


@pytest.mark.django_db(transaction=True)
def test_workers_share_history(sprint: Challenge, bring: Bring, submit: Submit) -> None:
    batch_claims._sizes[sprint.newest.pk] = 20
    bring(sprint, 120)
    for at in range(10):
        submit(sprint, f"q{at}", elapsed_ms=at)

    def work(_: int) -> int:
        try:
            return single.score_waiting()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        worked = sum(pool.map(work, range(4)))
    assert worked == 130
    assert statuses() == {"scored": 130}
    assert is_right(sprint)
