"""Claim, score, finish: how one waiting attempt gets its score, exactly once.

A result is saved together with the standing, and only while the claim is valid. An attempt with
instances may take minutes. Its worker gives it back every few seconds, and scores short attempts
between blocks, so that one worker is enough for both.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError

from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.operating import outages
from leaderboard.operating.request_ids import caused_by
from leaderboard.sandbox import Failure, HostOverfull, Outcome, SandboxError
from leaderboard.services.board.boards import lock_shown_boards
from leaderboard.services.competition.quotas.refunds import give_back_failed
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore, attempt_to_score
from leaderboard.services.evaluation.evaluate import evaluated, forget_runs
from leaderboard.services.evaluation.metrics import longest
from leaderboard.services.evaluation.time_slices import (
    SECONDS_PER_TIME_SLICE,
    LeaseLost,
    TimeSlice,
    TimeSliceOver,
)
from leaderboard.services.predictions.values import longest_measuring, with_predictions
from leaderboard.services.programs.running import with_program_values
from leaderboard.services.scoring.acceptance import misplaced, plan
from leaderboard.services.scoring.batch_claims import BatchClaim
from leaderboard.services.scoring.claims import Claim, claim
from leaderboard.services.scoring.history import score_batch
from leaderboard.services.scoring.log import log_claimed, log_ended
from leaderboard.services.scoring.measure import measured
from leaderboard.services.scoring.next_claim import claim_next
from leaderboard.services.scoring.outcomes import (
    NOTHING_TO_RUN,
    UNSTORABLE,
    outcomes,
    record_outcomes,
    store,
    unstorable,
)
from leaderboard.services.scoring.unfinished import Length
from leaderboard.services.scoring.unsaved import are_too_many, keep, let_go
from leaderboard.services.transactions import BoardSwitched, retried

logger = logging.getLogger(__name__)

ATTEMPTS_PER_NOTIFICATION = 100
SECONDS_PER_NOTIFICATION = 5.0
"""A worker finishes this period before it stops, so it is short."""
SECONDS_OF_BACKGROUND_SCORING = 1.0
"""How often, and for how long, short attempts are scored while a long one is evaluated."""

CANCELLED = NOTHING_TO_RUN._replace(
    error=Failure(
        code="cancelled", message="The attempt was cancelled before it was scored.", detail=""
    )
)

AttemptOutcome = tuple[AttemptToScore, Outcome]

_program_slots = threading.Semaphore(settings.PROGRAM_SLOTS)

_long_due = 0.0
"""When `score_next` prefers a long attempt again, by this process's monotonic clock."""


def score_attempt(attempt_id: UUID) -> bool:
    """Score one attempt if it waits, even if it is not the next one.

    False if another worker has or had it. An attempt that takes long is given back after a while,
    and workers are notified of it. Raises SandboxError when this host can score nothing; the
    attempt then waits again.
    """
    claimed = claim(attempt_id)
    return claimed is not None and _score_or_notify(claimed)


def score_next() -> bool:
    """Score the next attempt, a short one if there is one, or a batch of history.

    Every few seconds a long one comes first, so that long ones never wait for all short ones. False
    when none waits. Otherwise works like `score_attempt`.
    """
    global _long_due
    if are_too_many():
        return False
    is_due = time.monotonic() > _long_due
    claimed = claim_next("long") if is_due else None
    claimed = claimed or claim_next("short", batches=True) or claim_next("long")
    if claimed is None:
        return score_programs(1) > 0
    try:
        return _score_or_notify(claimed)
    finally:
        if is_due:
            _long_due = time.monotonic() + SECONDS_PER_NOTIFICATION


def score_waiting(limit: int = ATTEMPTS_PER_NOTIFICATION) -> int:
    """Score waiting attempts in order; returns their number. Notifies workers if more wait.

    limit: how many claims, each of one attempt or a batch of history. Short attempts come first,
    for some seconds, then at least one long one, so that neither kind waits for all of the other.
    """
    worked = _take_each("short", limit, SECONDS_PER_NOTIFICATION)
    worked += _take_each("long", max(1, limit - worked), SECONDS_PER_TIME_SLICE)
    worked += score_programs(1)
    if worked and (Attempt.objects.queued().exists() or Attempt.objects.released().exists()):
        queue.notify_workers()
    return worked


def score_programs(limit: int) -> int:
    """Score waiting attempts whose files programs read; returns their number.

    At most PROGRAM_SLOTS threads of this process do so at a time. Each scores short attempts once a
    second meanwhile.
    """
    if not _program_slots.acquire(blocking=False):
        return 0
    try:
        return _take_each("program", limit, SECONDS_PER_NOTIFICATION)
    finally:
        _program_slots.release()


def score_short() -> None:
    """Score waiting short attempts for some seconds. Raises SandboxError."""
    _take_each("short", ATTEMPTS_PER_NOTIFICATION, SECONDS_PER_NOTIFICATION)


class BackgroundScoring:
    """When called, scores short attempts, at most once a second; for threads that wait."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self) -> None:
        if time.monotonic() < self._next:
            return
        try:
            _take_each("short", ATTEMPTS_PER_NOTIFICATION, SECONDS_OF_BACKGROUND_SCORING)
        except SandboxError as error:
            outages.sandbox.began(error)
        self._next = time.monotonic() + SECONDS_OF_BACKGROUND_SCORING


def _take_each(length: Length, limit: int, seconds: float) -> int:
    """Work on attempts for some seconds; returns how many. Stops after one that was given back."""
    worked, until = 0, time.monotonic() + seconds
    for _ in range(limit):
        claimed = None if are_too_many() else claim_next(length, batches=True)
        if claimed is None:
            break
        try:
            worked += _score_claimed(claimed)
        except TimeSliceOver:
            return worked + 1
        if time.monotonic() > until:
            break
    return worked


def _score_or_notify(claimed: Claim) -> bool:
    """Score an attempt; one that was given back unfinished waits for its next time slice."""
    try:
        return _score_claimed(claimed) > 0
    except TimeSliceOver:
        queue.notify_workers()
        return True


def _score_claimed(claimed: Claim) -> int:
    """Score a claim; returns how many attempts it had. Raises TimeSliceOver."""
    with caused_by(**claimed.log_fields):
        log_claimed(claimed)
        try:
            return score_batch(claimed) if isinstance(claimed, BatchClaim) else _score_one(claimed)
        except DatabaseError as error:
            let_go(claimed, error)
            raise


def _score_one(claimed: Claim) -> bool:
    """Run the scorer outside of any transaction, then save the result. Raises TimeSliceOver.

    An attempt that has to wait for an organiser is set to `held`.
    """
    results: dict[int, AttemptOutcome] = {}
    time_slice = TimeSlice(claimed.keep, between=BackgroundScoring())

    def result_under(config: ScoringConfig) -> AttemptOutcome:
        if config.pk not in results:
            attempt = _measured(claimed, config, time_slice)
            (outcome,) = outcomes(config, [attempt], fresh=True)
            results[config.pk] = attempt, outcome
        return results[config.pk]

    def forget(config: ScoringConfig) -> None:
        del results[config.pk]

    try:
        return _finish(claimed, result_under, forget)
    except TimeSliceOver:
        claimed.release()
        raise
    except LeaseLost:
        logger.warning("another worker has claimed attempt %s", claimed.attempt.pk)
        return False
    except HostOverfull:
        claimed.lose()
        raise
    except SandboxError:
        claimed.give_back()
        raise


def _measured(claimed: Claim, config: ScoringConfig, time_slice: TimeSlice) -> AttemptToScore:
    """Evaluate and measure the claimed attempt, and renew the lease for the rest of scoring."""
    attempt = with_program_values(config, attempt_to_score(claimed.attempt), time_slice)
    attempt = evaluated(config, attempt, time_slice)
    extra = longest_measuring(config)
    if attempt.sample_count is not None:
        extra += longest(config)
    if attempt.instance_count is not None or attempt.runs_program:
        claimed.keep_to_the_end(extra)
    elif extra:
        claimed.keep_longer(extra)
    (attempt,) = with_predictions(config, [attempt])
    return measured(config, attempt)


def _finish(
    claimed: Claim,
    result_under: Callable[[ScoringConfig], AttemptOutcome],
    forget: Callable[[ScoringConfig], None],
) -> bool:
    """Save an attempt's results under its own config and the shown one.

    If they cannot be stored, a failure is saved in their place.
    """
    is_storable = True
    while True:
        planned = plan(claimed)
        if planned is None:
            claimed.hold()
            return True
        results = [(config, result_under(config)) for config in planned.configs]
        if wrong := misplaced(planned, results):
            # The code changed after the plan was made.
            for config in wrong:
                forget(config)
            claimed.read_challenge_again()
            continue
        if not is_storable:
            results = [(config, unstorable(*result)) for config, result in results]
        save = partial(_save, claimed, results, planned.shown_config)
        ended = partial(log_ended, claimed, results[0][1][1])
        try:
            saved = retried(save)
        except BoardSwitched:
            claimed.read_challenge_again()
            continue
        except UNSTORABLE:
            if not is_storable:
                raise
            logger.exception("the result of attempt %s cannot be stored", claimed.attempt.pk)
            is_storable = False
            continue
        except DatabaseError as error:
            keep(claimed, save, error, ended)
            return True
        return saved and ended()


def end_unscored(claimed: Claim, result: AttemptOutcome) -> bool:
    """Save a result that no plugin computed, under the attempt's own config and the shown one.

    False if the lease has expired.
    """
    saved = retried(partial(save_unscored, claimed, result))
    return saved and log_ended(claimed, result[1])


def save_unscored(claimed: Claim, result: AttemptOutcome) -> bool:
    """What `end_unscored` does, in a transaction of the caller. Raises BoardSwitched."""
    shown_config = _shown_config(claimed.attempt.challenge_id)
    own = claimed.attempt.scoring_config
    configs = [own] if own.pk == shown_config.pk else [own, shown_config]
    return _save(claimed, [(config, result) for config in configs], shown_config, forget=True)


def _shown_config(challenge_id: UUID) -> ScoringConfig:
    challenges = Challenge.objects.select_related("shown_config__challenge__tenant")
    return challenges.get(pk=challenge_id).shown


def _save(
    claimed: Claim,
    results: Sequence[tuple[ScoringConfig, AttemptOutcome]],
    shown_config: ScoringConfig,
    *,
    forget: bool = False,
) -> bool:
    """Save results, standing and the board's version together. False when the lease has expired.

    forget: delete what text metrics have computed. Otherwise it could be read, though an attempt
    without a score counts towards no quota.
    """
    attempt = claimed.attempt
    _, (_, own_outcome) = results[0]
    own_failed = own_outcome.error is not None
    # First: this locks the challenge, so that only one process writes to a board, and everybody
    # locks the challenge before its attempts.
    is_shown = lock_shown_boards(attempt.challenge_id, shown_config.pk)
    if not is_shown and claimed.rows.exists():
        raise BoardSwitched
    if not is_shown or not claimed.finish(
        Attempt.Status.FAILED if own_failed else Attempt.Status.SCORED
    ):
        logger.warning("a late result for attempt %s was dropped", attempt.pk)
        return False
    if forget and attempt.instance_count is not None:
        forget_runs(attempt.pk)
    for config, result in results:
        store(config, [result], shown_config)
    if own_outcome.error is not None:
        give_back_failed({attempt.pk: own_outcome.error.code})
    record_outcomes(attempt.challenge_id, [(config, [result]) for config, result in results])
    return True
