"""History that an organiser imports is scored in batches: fast, in turn, and each attempt once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Score, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring import batch_claims, history, rescoring, single
from tests.services.conftest import Submit
from tests.services.scoring.conftest import ImportHistory
from tests.services.scoring.history.batches import batch, due, is_right, statuses
from tests.services.threads import at_once


def test_one_claim_scores_many_attempts(sprint: Challenge, import_history: ImportHistory) -> None:
    import_history(sprint, 60)
    assert single.score_next()
    assert statuses() == {"scored": 60}
    assert not single.score_next()
    assert is_right(sprint)


def test_the_number_of_statements_does_not_grow_with_the_batch(
    sprint: Challenge, import_history: ImportHistory
) -> None:
    counts = []
    for number in (10, 10, 80):
        import_history(sprint, number)
        with CaptureQueriesContext(connection) as queries:
            assert single.score_next()
        counts.append(len(queries))
    assert statuses() == {"scored": 100}
    assert counts[2] == counts[1] < 40, counts


def test_a_fresh_attempt_is_scored_before_the_next_batch(
    sprint: Challenge, import_history: ImportHistory, submit: Submit, sizes: dict[int, int]
) -> None:
    sizes[sprint.newest.pk] = 5
    import_history(sprint, 50)
    assert single.score_next()
    assert statuses() == {"scored": 5, "queued": 45}
    fresh = submit(sprint, "atlas", elapsed_ms=5)
    assert single.score_next()
    fresh.refresh_from_db()
    assert fresh.status == "scored"
    assert statuses() == {"scored": 6, "queued": 45}


def test_another_tenant_waits_for_one_batch(
    sprint: Challenge,
    north: Challenge,
    import_history: ImportHistory,
    submit: Submit,
    sizes: dict[int, int],
) -> None:
    sizes[sprint.newest.pk] = 5
    import_history(sprint, 200)
    assert single.score_next()
    fresh = submit(north, "boreas", elapsed_ms=5)
    for _ in range(2):
        assert single.score_next()
    fresh.refresh_from_db()
    assert fresh.status == "scored"


def test_a_batch_ends_after_a_time_limit(
    scored_by: Callable[..., Challenge],
    import_history: ImportHistory,
    sizes: dict[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Attempts that are left over keep their due time, as if they had not been claimed."""
    challenge = scored_by()
    import_history(challenge, 20)
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


def test_batches_grow_with_the_speed_of_the_scorer(
    sprint: Challenge, import_history: ImportHistory
) -> None:
    import_history(sprint, 600)
    worked = []
    while single.score_next():
        worked.append(statuses()["scored"])
    assert worked == [100, 500, 600]


def test_the_size_of_batches_fits_the_time_limit(sizes: dict[int, int]) -> None:
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


def test_attempts_of_different_configs_are_in_different_batches(
    sprint: Challenge, alice: User, import_history: ImportHistory
) -> None:
    """An attempt under an older config gets a score under its own config and the shown one."""
    before = sprint.shown
    change_challenge(sprint, user=alice, fields={"scoring_strategy": "first"})
    config, _ = rescoring.start_rescore(sprint)
    sprint.refresh_from_db()
    assert sprint.shown == config
    import_history(sprint, 40)
    old = Attempt.objects.order_by("-due_at")[:20].values_list("pk", flat=True)
    Attempt.objects.filter(pk__in=list(old)).update(scoring_config=before)
    claimed = batch()
    assert claimed.count == 20
    assert single._score_claimed(claimed) == 20
    assert single.score_waiting() == 20
    assert Score.objects.filter(config=sprint.shown).count() == 40
    assert Score.objects.count() == 60
    assert is_right(sprint)


def test_metrics_of_samples_are_computed_in_batches(
    jobs: Challenge, import_history: ImportHistory
) -> None:
    import_history(jobs, 20, task_rewards={"a": [1.0, 0.0]})
    assert single.score_next()
    values = Score.objects.values_list("metric_values", flat=True)
    assert len(values) == 20
    assert all(value["mean"]["value"] == 0.5 for value in values)
    assert is_right(jobs)


@pytest.mark.django_db(transaction=True)
def test_workers_share_history(
    sprint: Challenge, import_history: ImportHistory, submit: Submit
) -> None:
    batch_claims._sizes[sprint.newest.pk] = 20
    import_history(sprint, 120)
    for at in range(10):
        submit(sprint, f"q{at}", elapsed_ms=at)

    assert sum(at_once([single.score_waiting] * 4)) == 130
    assert statuses() == {"scored": 130}
    assert is_right(sprint)
