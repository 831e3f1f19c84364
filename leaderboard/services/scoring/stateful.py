"""Detect scorers that keep state between attempts, and run these in fresh children."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from math import inf

from leaderboard.models import ScoringConfig
from leaderboard.rules.noop import noop
from leaderboard.sandbox import HostOverfull, Outcome
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.evaluation.runs import never
from leaderboard.services.scoring.outcomes import outcomes

logger = logging.getLogger(__name__)

CHECKED_FRESH = 5
"""The first attempt of a batch and this many of its last are also scored in fresh children."""


def batch_outcomes(
    config: ScoringConfig,
    batch: Sequence[AttemptToScore],
    *,
    compared: bool,
    seconds: float,
    others_wait: Callable[[], bool] = never,
    between: Callable[[], object] = noop,
) -> list[Outcome]:
    """The outcomes of the first attempts of a batch: as many as `seconds` allow, at least one.

    Stops early when others wait. One child scores all attempts, unless the scorer is known to keep
    state. compared: whether it is known not to keep state. between: called in the middle of a
    comparison, which takes several times as long as one attempt; like when this returns, no child
    is busy then, so others may use the sandbox.
    """

    def in_time(
        some: Sequence[AttemptToScore], *, fresh: bool, seconds: float = inf
    ) -> list[Outcome]:
        return outcomes_in_time(config, some, fresh=fresh, seconds=seconds, others_wait=others_wait)

    if config.keeps_state or not config.runs_scorer:
        return in_time(batch, fresh=True, seconds=seconds)
    if compared:
        return in_time(batch, fresh=False, seconds=seconds)
    first = in_time(batch[:1], fresh=True)
    between()
    if others_wait():
        return first
    try:
        together = in_time(batch, fresh=False, seconds=seconds)
        between()
        last = range(max(len(together) - CHECKED_FRESH, 1), len(together))
        alone = [] if others_wait() else in_time([batch[at] for at in last], fresh=True)
    except HostOverfull:
        return first
    if len(alone) < len(last):
        return first  # The comparison is incomplete, so the other outcomes may be wrong.
    if not _differ(zip([first[0], *alone], [together[at] for at in (0, *last)], strict=True)):
        return together
    logger.warning(
        "%s keeps state between attempts: from now on each is scored alone", config.entrypoint
    )
    config.keeps_state = True
    ScoringConfig.objects.filter(pk=config.pk).update(keeps_state=True)
    return in_time(batch, fresh=True, seconds=seconds)


def outcomes_in_time(
    config: ScoringConfig,
    batch: Sequence[AttemptToScore],
    *,
    fresh: bool,
    seconds: float,
    others_wait: Callable[[], bool] = never,
) -> list[Outcome]:
    """The outcomes of the first attempts: as many as `seconds` allow, at least one.

    Stops early when others wait, and before the attempt for which the host has no memory: Raises
    HostOverfull if that is the first one. fresh: score each attempt in its own child.
    """
    until = time.monotonic() + seconds
    results: list[Outcome] = []
    with closing(_closable(outcomes(config, batch, fresh=fresh))) as coming:
        try:
            for outcome in coming:
                results.append(outcome)
                if time.monotonic() > until or others_wait():
                    break
        except HostOverfull:
            if not results:
                raise
    return results


def _closable(coming: Iterator[Outcome]) -> Generator[Outcome, None, None]:
    yield from coming


def _differ(pairs: Iterable[tuple[Outcome, Outcome]]) -> bool:
    """Whether the two outcomes of a pair differ."""
    return any(
        (one.value, one.details, one.error) != (other.value, other.details, other.error)
        for one, other in pairs
    )
