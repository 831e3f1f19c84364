"""Celery tasks, which notifications start. The services do the work."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec
from uuid import UUID

from celery import shared_task

from leaderboard.messages import queue
from leaderboard.services.imports import jobs
from leaderboard.services.scoring import rescoring, single, sweeper
from leaderboard.services.scoring.failures import begins_outage

logger = logging.getLogger(__name__)

P = ParamSpec("P")


def outlived(work: Callable[P, None]) -> Callable[P, None]:
    """A task that logs a MemoryError instead of raising it, because it would end the whole worker.

    The errors of an unavailable database, and of a sandbox that cannot work on this host, are also
    logged, once, instead of a traceback per task. Attempts that the task had claimed wait again,
    at the latest when their leases expire.
    """

    @wraps(work)
    def task(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            work(*args, **kwargs)
        except MemoryError:
            logger.exception("out of memory in %s", work.__name__)
        except Exception as error:
            if not begins_outage(error):
                raise

    return task


@shared_task(name=queue.SCORE_ATTEMPT)
@outlived
def score_attempt(attempt_id: str) -> None:
    """Score the next attempt, in the order of the database, whichever attempt the message names."""
    single.score_next()


@shared_task(name=queue.SCORE_WAITING)
@outlived
def score_waiting() -> None:
    single.score_waiting()


@shared_task(name=queue.RESCORE)
@outlived
def rescore(config_id: int) -> None:
    rescoring.work_on(config_id)


@shared_task(name=queue.IMPORT)
@outlived
def import_file(job_id: str) -> None:
    jobs.work_apart(UUID(job_id))


@shared_task(name="leaderboard.tasks.sweep")
@outlived
def sweep() -> None:
    sweeper.sweep()
