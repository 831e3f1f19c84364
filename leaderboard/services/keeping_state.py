"""Scorers that remember attempts: found out as a rescore begins, and then asked one by one."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from leaderboard.models import ScoringConfig
from leaderboard.sandbox import Outcome
from leaderboard.services.outcomes import outcomes
from leaderboard.services.scorables import Scorable

logger = logging.getLogger(__name__)

CHECKED_FRESH = 5
"""The first attempt of a batch and so many of its last are also scored in fresh children."""


def batch_outcomes(
    config: ScoringConfig, batch: Sequence[Scorable], *, compared: bool
) -> Iterator[Outcome]:
    """From one child for the whole batch, unless the scorer is known to keep state.

    compared: whether it is known not to.
    """
    if config.keeps_state or not config.runs_scorer:
        return outcomes(config, batch, fresh=True)
    if compared:
        return outcomes(config, batch, fresh=False)
    return _compared(config, batch)


def _compared(config: ScoringConfig, batch: Sequence[Scorable]) -> Iterator[Outcome]:
    """From one child, if fresh children give the same results; else the config is marked."""
    together = list(outcomes(config, batch, fresh=False))
    if not _differ(config, batch, together):
        yield from together
        return
    logger.warning("%s keeps state between attempts: one by one from here", config.entrypoint)
    config.keeps_state = True
    ScoringConfig.objects.filter(pk=config.pk).update(keeps_state=True)
    yield from outcomes(config, batch, fresh=True)


def _differ(config: ScoringConfig, batch: Sequence[Scorable], together: list[Outcome]) -> bool:
    """Does a fresh child give another result? The last of a batch have seen the most state."""
    chosen = sorted({0, *range(max(len(batch) - CHECKED_FRESH, 0), len(batch))})
    alone = outcomes(config, [batch[each] for each in chosen], fresh=True)
    return any(
        (one.value, one.details, one.error) != (other.value, other.details, other.error)
        for one, other in zip(alone, (together[each] for each in chosen), strict=True)
    )
