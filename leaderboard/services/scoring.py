"""Claim, score, finish: how one waiting attempt gets its score, exactly once.

Anything may be killed at any line. A claim is one conditional UPDATE that writes a lease and a
fencing token; a result is saved only while the token still holds, together with the standing.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

from django.db.models import F, Q
from django.db.models.functions import Now

from leaderboard import queue
from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.sandbox import Failure, Outcome, SandboxError
from leaderboard.services.measuring import measured
from leaderboard.services.metrics import longest
from leaderboard.services.outcomes import NOTHING_TO_RUN, outcomes, store
from leaderboard.services.scorables import Scorable, scorable
from leaderboard.services.standings import board_changed
from leaderboard.services.transactions import BoardSwitched, settled

logger = logging.getLogger(__name__)

MAX_DELIVERIES = 3
GRACE = timedelta(seconds=5)
PER_SAMPLE = timedelta(milliseconds=1)
"""A hundred times what a metric takes for one sample."""
ATTEMPTS_PER_BELL = 100
SECONDS_PER_BELL = 5.0
"""So that a worker which is told to end does so soon, however slow the scorers are."""

WORKER_LOST = NOTHING_TO_RUN._replace(
    error=Failure(
        code="worker_lost",
        message="The worker was lost three times while it scored this attempt.",
        detail="",
    )
)


Result = tuple[Scorable, Outcome]


@dataclass(frozen=True, slots=True)
class Claim:
    """An attempt in the hands of this worker, as long as `token` is the one in the row."""

    attempt: Attempt
    token: UUID


def score_attempt(attempt_id: UUID) -> bool:
    """Score one attempt if it waits. False when somebody else has it, or had it.

    Raises SandboxError when nothing can be scored here; the attempt waits again then.
    """
    claim = _claim(attempt_id)
    return claim is not None and _score_claimed(claim)


def score_waiting(limit: int = ATTEMPTS_PER_BELL) -> int:
    """Score what waits, oldest first, up to `limit`; rings again when there is more."""
    scored, until = 0, time.monotonic() + SECONDS_PER_BELL
    for attempt_id in _waiting_ids(limit):
        scored += score_attempt(attempt_id)
        if time.monotonic() > until:
            break
    if scored and Attempt.objects.queued().exists():
        queue.ring_waiting()
    return scored


def give_up_lost() -> int:
    """End attempts whose workers were lost too often; how many there were."""
    lost = Attempt.objects.overdue().filter(deliveries__gte=MAX_DELIVERIES)
    ended = 0
    for attempt in lost.select_related(*_WITH)[:100]:
        if attempt.lease_token is not None:
            result = scorable(attempt), WORKER_LOST
            ended += _finish(Claim(attempt, attempt.lease_token), partial(_same, result))
    return ended


def _same(result: Result, config: ScoringConfig) -> Result:
    """The same result, under whatever config."""
    return result


_WITH = (
    "participant",
    "scoring_config__challenge__tenant",
    "challenge__shown_config__challenge__tenant",
)


def _waiting_ids(limit: int) -> Iterator[UUID]:
    """Ids of waiting attempts, among the oldest at random, so that workers seldom meet."""
    retried = Attempt.objects.overdue().filter(deliveries__lt=MAX_DELIVERIES)
    for _ in range(limit):
        found = list(Attempt.objects.queued().values_list("pk", flat=True)[:16])
        found = found or list(retried.values_list("pk", flat=True)[:16])
        if not found:
            return
        yield random.choice(found)  # noqa: S311 - nothing secret


def _claim(attempt_id: UUID) -> Claim | None:
    """Take a waiting attempt: one UPDATE, so that of any number of workers one gets it."""
    token = uuid4()
    attempts = Attempt.objects.filter(pk=attempt_id)
    found = attempts.values_list(
        "sample_count", "scoring_config__timeout_ms", "challenge__shown_config__timeout_ms"
    ).first()
    if found is None:
        return None
    samples, *limits = found
    lease = timedelta(milliseconds=sum(limits)) + GRACE + (samples or 0) * PER_SAMPLE
    claimed = (
        attempts.filter(pk=attempt_id, deliveries__lt=MAX_DELIVERIES)
        .filter(
            Q(status=Attempt.Status.QUEUED)
            | Q(status=Attempt.Status.SCORING, lease_until__lt=Now())
        )
        .update(
            status=Attempt.Status.SCORING,
            lease_token=token,
            lease_until=Now() + lease,
            deliveries=F("deliveries") + 1,
        )
    )
    return Claim(attempts.select_related(*_WITH).get(), token) if claimed else None


def _score_claimed(claim: Claim) -> bool:
    """Run the scorer outside of any transaction, then save what came of it."""
    known: dict[int, Result] = {}

    def result_under(config: ScoringConfig) -> Result:
        if config.pk not in known:
            attempt = _measured(claim, config)
            (outcome,) = outcomes(config, [attempt], fresh=True)
            known[config.pk] = attempt, outcome
        return known[config.pk]

    try:
        return _finish(claim, result_under)
    except SandboxError:
        _give_back(claim)
        raise


def _measured(claim: Claim, config: ScoringConfig) -> Scorable:
    """The claimed attempt, measured; kept for longer while slow metrics are asked."""
    attempt = scorable(claim.attempt)
    if attempt.sample_count is not None and (extra := longest(config)):
        mine = Attempt.objects.filter(pk=attempt.pk, lease_token=claim.token)
        mine.update(lease_until=F("lease_until") + extra)
    return measured(config, attempt)


def _give_back(claim: Claim) -> None:
    """Let the attempt wait as if nobody had claimed it: its scorer was never asked."""
    Attempt.objects.filter(pk=claim.attempt.pk, lease_token=claim.token).update(
        status=Attempt.Status.QUEUED,
        lease_token=None,
        lease_until=None,
        deliveries=F("deliveries") - 1,
    )


def _finish(claim: Claim, result_under: Callable[[ScoringConfig], Result]) -> bool:
    """Save an attempt's results under its own config and the shown one."""
    while True:
        shown = _shown_config(claim.attempt.challenge_id)
        own = claim.attempt.scoring_config
        configs = [own] if own.pk == shown.pk else [own, shown]
        results = [(config, result_under(config)) for config in configs]
        try:
            return settled(partial(_save, claim, results, shown))
        except BoardSwitched:
            continue


def _shown_config(challenge_id: UUID) -> ScoringConfig:
    found = Challenge.objects.select_related("shown_config__challenge__tenant")
    return found.get(pk=challenge_id).shown


def _save(
    claim: Claim, results: Sequence[tuple[ScoringConfig, Result]], shown: ScoringConfig
) -> bool:
    """Results, standing and the board's version together. False when the claim has run out."""
    attempt = claim.attempt
    _, (_, own_outcome) = results[0]
    own_failed = own_outcome.error is not None
    mine = Attempt.objects.filter(
        pk=attempt.pk, status=Attempt.Status.SCORING, lease_token=claim.token
    ).update(
        status=Attempt.Status.FAILED if own_failed else Attempt.Status.SCORED,
        finished_at=Now(),
        lease_token=None,
        lease_until=None,
    )
    if not mine:
        logger.warning("a late result for attempt %s was dropped", attempt.pk)
        return False
    for config, result in results:
        store(config, [result], shown)
    if not board_changed(attempt.challenge_id, shown.pk):
        raise BoardSwitched
    return True
