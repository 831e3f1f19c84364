"""Score attempts again that ended while the list of text metrics was incomplete."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from datetime import timedelta
from typing import Final

from django.core.cache import cache
from django.db.models.functions import Now

from leaderboard.models import Attempt, MetricRun
from leaderboard.services.attempts.retry import retry_attempt
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.discovery import MISSED
from leaderboard.services.plugins.text_metrics import UnknownTextMetric, find_text_metric

logger = logging.getLogger(__name__)

MARGIN: Final = timedelta(minutes=2)
"""How long a process may have used an incomplete list after another one had a whole one."""


def retry_missed() -> int:
    """Queue attempts whose text metrics were not found, and are there; returns how many."""
    period: tuple[float, float] | None = cache.get(MISSED)
    if period is None:
        return 0
    cache.delete(MISSED)
    ages = [timedelta(seconds=time.time() - moment) for moment in period]
    runs = MetricRun.objects.filter(
        error_code="not_installed",
        finished_at__gte=Now() - ages[0] - MARGIN,
        finished_at__lte=Now() - ages[1] + MARGIN,
    )
    missed = {run.evaluation_id for run in runs if _is_there(run)}
    for attempt in Attempt.objects.filter(pk__in=missed):
        with suppress(ServiceError):  # somebody has retried it meanwhile
            retry_attempt(attempt)
    if missed:
        logger.warning("%d attempts are scored again: their text metrics are back", len(missed))
    return len(missed)


def _is_there(run: MetricRun) -> bool:
    try:
        return find_text_metric(run.given["id"]).error is None
    except UnknownTextMetric:
        return False
