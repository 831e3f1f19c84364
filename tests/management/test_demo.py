"""What the demo holds. That a worker scores all of it is seen in tests/embedded."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from leaderboard.management.demo import WEEKS, load_demo
from leaderboard.management.demo.participants import PARTICIPANTS
from leaderboard.models import Attempt, Challenge, Participant, Score, Standing

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(bells: list[tuple[Any, ...]]) -> int:
    return load_demo()


def test_it_inserts_no_scores(loaded: int) -> None:
    assert not Score.objects.exists()
    assert not Standing.objects.exists()
    assert set(Attempt.objects.values_list("status", flat=True)) == {"queued"}


def test_it_is_large_enough_to_look_around_in(loaded: int) -> None:
    assert Attempt.objects.count() == loaded
    assert 250 <= loaded <= 450
    assert 35 <= Participant.objects.count() <= 45
    assert Participant.objects.count() == len(PARTICIPANTS)
    strategies = {challenge.newest.strategy for challenge in Challenge.objects.all()}
    assert {"first", "fastest", "fewest_tokens", "highest_rating", "custom"} <= strategies
    times = sorted(Attempt.objects.values_list("submitted_at", flat=True))
    assert timedelta(weeks=WEEKS - 2) < times[-1] - times[0] < timedelta(weeks=WEEKS)
    assert all(challenge.summary and challenge.goal for challenge in Challenge.objects.all())


def test_names_are_names(db: None) -> None:
    handles = [each.handle for each in PARTICIPANTS]
    assert len(set(handles)) == len(handles)
    assert not [each.name for each in PARTICIPANTS if re.search(r"\d{3}|test|foo", each.name)]
