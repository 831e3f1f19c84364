"""Entries of boards of samples, with the certainty of their order."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache

from leaderboard.models import Challenge, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.board.certainty.computing import look_after_certainty
from tests.helpers.attempts import attempt_of, score_all


def enter(challenge: Challenge, user: User, name: str, rewards: list[float], **facts: Any) -> None:
    """Submit a sample for each reward, of the tasks `task 0`, `task 1`, …"""
    samples = [Sample(f"task {at}", 0, {"r": reward}) for at, reward in enumerate(rewards)]
    attempt_of(user, challenge, name, samples=samples, metrics=facts)


def judge() -> None:
    """Score everything, compute how certain the boards are, and forget what pages were kept."""
    score_all()
    while look_after_certainty():
        pass
    cache.clear()
