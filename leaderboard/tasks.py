"""Celery tasks: what a notification starts. The work and its safety are in the services."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from celery import shared_task
from django.db import Error as DatabaseError

from leaderboard import outages, queue
from leaderboard.services.scoring import rescoring, single, sweeper

logger = logging.getLogger(__name__)

P = ParamSpec("P")


def outlived(work: Callable[P, None]) -> Callable[P, None]:
    """A MemoryError that leaves a task ends the whole worker: it stays in here.

    So does a database that is away, which would be a traceback per task. What the task had claimed
    comes back when the lease runs out.
    """

    @wraps(work)
    def task(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            work(*args, **kwargs)
        except MemoryError:
            logger.exception("no memory left for %s", work.__name__)
        except DatabaseError as error:
            if not outages.database_is_away(error):
                raise
            outages.database.began(error)

    return task


@shared_task(name=queue.SCORE_ATTEMPT)
@outlived
def score_attempt(attempt_id: str) -> None:
    """One message for each attempt that was submitted; whose turn it is, the database knows."""
    single.score_next()


@shared_task(name=queue.SCORE_WAITING)
@outlived
def score_waiting() -> None:
    single.score_waiting()


@shared_task(name=queue.RESCORE)
@outlived
def rescore(config_id: int) -> None:
    rescoring.work_on(config_id)


@shared_task(name="leaderboard.tasks.sweep")
@outlived
def sweep() -> None:
    sweeper.sweep()
