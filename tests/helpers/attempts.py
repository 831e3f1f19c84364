"""Attempts that tests submit and score."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.scoring.single import score_waiting


def attempt_of(user: User, challenge: Challenge, participant: str, **fields: Any) -> Attempt:
    """Submit an attempt: `attempt_of(ben, sprint, "atlas", metrics={"elapsed_ms": 5})`."""
    new = NewAttempt(participant=participant, **fields)
    return submit_attempt(challenge=challenge, user=user, new=new)[0]


def score_all() -> None:
    """Score everything that waits; one call scores for a few seconds only."""
    while score_waiting():
        pass
