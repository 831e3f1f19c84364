"""Scorers that remember attempts: found out as a rescore begins, and then asked one by one."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from leaderboard.models import ScoringConfig
from leaderboard.sandbox import Outcome
from leaderboard.services.evaluation.scorables import Scorable
from leaderboard.services.scoring.outcomes import outcomes

logger = logging.getLogger(__name__)

CHECKED_FRESH = 5
"""The first attempt of a batch and so many of its last are also scored in fresh children."""


def batch_outcomes(
    config: ScoringConfig, batch: Sequence[Scorable], *, compared: bool, seconds: float
) -> list[Outcome]:
    """The outcomes of the first attempts of a batch: of those that are scored within some seconds,
    and of one at least.

    From one child for all of them, unless the scorer is known to keep state. compared: whether it
    is known not to. Nobody is asked any more when this returns, so that others may ask.
    """
    if config.keeps_state or not config.runs_scorer:
        return outcomes_in_time(config, batch, fresh=True, seconds=seconds)
    together = outcomes_in_time(config, batch, fresh=False, seconds=seconds)
    if compared or not _differ(config, batch[: len(together)], together):
        return together
    logger.warning("%s keeps state between attempts: one by one from here", config.entrypoint)
    config.keeps_state = True
    ScoringConfig.objects.filter(pk=config.pk).update(keeps_state=True)
    return outcomes_in_time(config, batch, fresh=True, seconds=seconds)


def outcomes_in_time(
    config: ScoringConfig, batch: Sequence[Scorable], *, fresh: bool, seconds: float
) -> list[Outcome]:
    """As `batch_outcomes`; `fresh`: each attempt in a child of its own."""
    until = time.monotonic() + seconds
    found: list[Outcome] = []
    with closing(_closable(outcomes(config, batch, fresh=fresh))) as coming:
        for outcome in coming:
            found.append(outcome)
            if time.monotonic() > until:
                break
    return found


def _closable(coming: Iterator[Outcome]) -> Generator[Outcome, None, None]:
    yield from coming


def _differ(config: ScoringConfig, batch: Sequence[Scorable], together: list[Outcome]) -> bool:
    """Does a fresh child give another result? The last of a batch have seen the most state."""
    chosen = sorted({0, *range(max(len(batch) - CHECKED_FRESH, 0), len(batch))})
    alone = outcomes(config, [batch[each] for each in chosen], fresh=True)
    return any(
        (one.value, one.details, one.error) != (other.value, other.details, other.error)
        for one, other in zip(alone, (together[each] for each in chosen), strict=True)
    )
