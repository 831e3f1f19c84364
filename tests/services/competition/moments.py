"""A phase with dates, moments around them, and attempts that arrive at a given moment."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from leaderboard.models import Attempt, Challenge, Phase, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.competition.participants.participant_batch import ParticipantBatch

OPENS = datetime(2026, 3, 2, 9, tzinfo=UTC)
CLOSES = datetime(2026, 3, 9, 9, tzinfo=UTC)
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)

At = Callable[..., Attempt]


@pytest.fixture
def phase(sprint: Challenge) -> Phase:
    """The only phase of the challenge, with dates."""
    only_phase = sprint.phases.get()
    only_phase.opens_at, only_phase.closes_at = OPENS, CLOSES
    only_phase.save()
    return only_phase


@pytest.fixture
def submit_at(sprint: Challenge, bob: User) -> At:
    """Submit as bob: `submit_at(moment, "atlas")`."""

    def submitted(moment: datetime, participant: str = "atlas", organiser: bool = False) -> Attempt:
        new = NewAttempt(participant=participant, metrics={"succeeded": True})
        attempt, _ = submit_attempt(
            challenge=sprint, user=bob, new=new, received_at=moment, organiser=organiser
        )
        return attempt

    return submitted


def take_names(challenge: Challenge, user: User, *names: str) -> None:
    """Let a user take part under several names, as they may in a phase without limits."""
    with transaction.atomic():
        participants = ParticipantBatch(challenge, user, organiser=False)
        participants.find(names)
        named_participants = [participants.of(name) for name in names]
        for participant in named_participants:
            participants.keep(participant)
        participants.make()
        participants.register(named_participants)
