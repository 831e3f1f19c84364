"""Celery tasks: what a bell starts. The work and its safety are in the services."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from leaderboard import queue
from leaderboard.services import rescoring, scoring, sweeping


@shared_task(name=queue.SCORE_ATTEMPT)
def score_attempt(attempt_id: str) -> None:
    scoring.score_attempt(UUID(attempt_id))


@shared_task(name=queue.SCORE_WAITING)
def score_waiting() -> None:
    scoring.score_waiting()


@shared_task(name=queue.RESCORE)
def rescore(config_id: int) -> None:
    rescoring.work_on(config_id)


@shared_task(name="leaderboard.tasks.sweep")
def sweep() -> None:
    sweeping.sweep()
