"""Leases that cannot end in time are ended."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.management import alone
from leaderboard.models import Attempt, Challenge, Worker
from leaderboard.services.operations import workers
from leaderboard.services.scoring import claims, leases, single
from tests.services.conftest import Submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def held(sprint: Challenge, submit: Submit) -> Attempt:
    """An attempt that a worker has claimed, which has been seen just now."""
    attempt = submit(sprint, "atlas", elapsed_ms=5)
    assert claims.claim(attempt.pk)
    workers.record_alive()
    return attempt


def set_clock_back(by: timedelta) -> None:
    """All that is stored moves into the future."""
    Attempt.objects.update(lease_until=F("lease_until") + by)
    Worker.objects.update(seen_at=F("seen_at") + by)


def is_free(attempt: Attempt) -> bool:
    return Attempt.objects.overdue().filter(pk=attempt.pk).exists()


def test_leases_follow_a_clock_that_is_set_back(held: Attempt) -> None:
    assert not leases.follow_clock()
    set_clock_back(timedelta(hours=3))
    assert leases.follow_clock()
    assert not leases.follow_clock()
    held.refresh_from_db()
    left = Attempt.objects.filter(pk=held.pk, lease_until__lt=Now() + timedelta(minutes=1))
    assert left.exists(), "the lease is as long as it was"


def test_a_lease_longer_than_any_ends(held: Attempt) -> None:
    assert leases.end_impossible_leases() == 0
    Attempt.objects.update(lease_until=Now() + timedelta(days=3))
    assert leases.end_impossible_leases() == 1
    assert is_free(held)
    assert single.score_waiting() == 1


def test_a_server_that_is_alone_voids_the_leases_of_its_former_self(
    held: Attempt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alone, "_held", [])
    assert alone.is_alone(tmp_path)
    assert not alone.is_alone(tmp_path), "another server runs"
    assert leases.void_leases() == 1
    assert is_free(held)
