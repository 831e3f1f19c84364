"""Score many attempts by one claim: history that an organiser imports, or one participant's bulk.

A batch takes about a second with any scorer. It ends after the current attempt when an attempt
arrives that must not wait for it (`others`). Attempts that do not fit into the time keep their
places in the queue. One transaction saves all results.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from functools import partial

from django.db import DatabaseError

from leaderboard.models import Attempt, ScoringConfig
from leaderboard.sandbox import HostOverfull, Outcome, SandboxError
from leaderboard.services.board.boards import lock_shown_boards
from leaderboard.services.competition.quotas.refunds import give_back_failed
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.evaluation.time_slices import LeaseLost, TimeSlice
from leaderboard.services.scoring.acceptance import misplaced, plan
from leaderboard.services.scoring.batch_claims import BatchClaim, learn_size, score_alone
from leaderboard.services.scoring.log import log_ended
from leaderboard.services.scoring.measure import measured_batches
from leaderboard.services.scoring.others import Others
from leaderboard.services.scoring.outcomes import UNSTORABLE, record_outcomes, store
from leaderboard.services.scoring.stateful import CHECKED_FRESH, batch_outcomes, outcomes_in_time
from leaderboard.services.scoring.unsaved import keep
from leaderboard.services.transactions import BoardSwitched, retried

logger = logging.getLogger(__name__)

SECONDS_PER_BATCH = 1.0
"""The time for measuring and scoring under one config, after which the current attempt is still
finished."""
SECONDS_OF_MEASURING = 0.2
"""How long attempts are measured before these are scored. A batch that ends early because other
attempts wait loses at most this much work."""

Results = list[tuple[AttemptToScore, Outcome]]


def score_batch(claimed: BatchClaim) -> int:
    """Score as many attempts of a claim as there is time for; returns how many ended or are held.

    Held attempts wait for an organiser; the others wait again for a worker. Raises SandboxError
    when this host can score nothing; then all of them wait again.
    """
    try:
        return _finish(claimed)
    except LeaseLost:
        logger.warning("another worker has claimed a batch of attempts")
        claimed.give_back()
        return 0
    except HostOverfull:
        claimed.lose()
        raise
    except SandboxError:
        claimed.give_back()
        raise


def _finish(claimed: BatchClaim) -> int:
    """Save results under the attempts' own config and the shown one."""
    time_slice = TimeSlice(claimed.keep)
    others_wait = Others(claimed.attempt.tenant_id, claimed.participant_id)
    while True:
        time_slice.renew()
        planned = plan(claimed)
        if planned is None:
            claimed.hold()
            return claimed.count
        began = time.monotonic()
        results = _results(planned.configs, claimed.attempts, time_slice, others_wait)
        spent = max(time.monotonic() - began, 0.001)
        if misplaced(
            planned,
            [(config, result) for config, config_results in results for result in config_results],
        ):
            claimed.read_challenge_again()  # The code changed after the plan was made.
            continue
        save = partial(_save, claimed, results, planned.shown_config)
        config, own = results[0]
        try:
            retried(save)
        except BoardSwitched:
            claimed.read_challenge_again()
            continue
        except UNSTORABLE:
            logger.exception("a result of a batch cannot be stored; each attempt is scored alone")
            score_alone(config.pk)
            claimed.give_back()
            return claimed.count
        except DatabaseError as error:
            keep(claimed, save, error, partial(_log_each, claimed, own))
            return len(own)
        if not others_wait():
            possible = int(len(own) * SECONDS_PER_BATCH / spent)
            learn_size(config.pk, claimed=claimed.count, scored=len(own), possible=possible)
        _log_each(claimed, own)
        return len(own)


def _log_each(claimed: BatchClaim, results: Results) -> None:
    for attempt, outcome in results:
        log_ended(claimed, outcome, attempt_id=attempt.pk)


def _results(
    configs: Sequence[ScoringConfig],
    attempts: Sequence[AttemptToScore],
    time_slice: TimeSlice,
    others_wait: Others,
) -> list[tuple[ScoringConfig, Results]]:
    """The results of the first attempts, the same ones (at least one) under each config."""
    results_by_config: list[tuple[ScoringConfig, Results]] = []
    for config in configs:
        results_by_config.append((config, _in_time(config, attempts, time_slice, others_wait)))
        attempts = attempts[: len(results_by_config[-1][1])]
    return [(config, results[: len(attempts)]) for config, results in results_by_config]


def _in_time(
    config: ScoringConfig,
    attempts: Sequence[AttemptToScore],
    time_slice: TimeSlice,
    others_wait: Others,
) -> Results:
    """Measure and score as many of the first attempts as the time and the host's memory allow.

    Raises LeaseLost, and HostOverfull if the host has no memory for the first one.

    If there are few attempts, each gets its own child. Otherwise outcomes of the first measured
    ones are compared with those of fresh children (see `batch_outcomes`), because the plugin may
    have changed since the last batch.
    """
    results: Results = []
    until = time.monotonic() + SECONDS_PER_BATCH
    try:
        for batch in measured_batches(
            config, attempts, time_slice, seconds=SECONDS_OF_MEASURING, others_wait=others_wait
        ):
            left = max(0.0, until - time.monotonic())
            if len(attempts) <= CHECKED_FRESH:
                outcomes = outcomes_in_time(
                    config, batch, fresh=True, seconds=left, others_wait=others_wait
                )
            else:
                outcomes = batch_outcomes(
                    config, batch, compared=bool(results), seconds=left, others_wait=others_wait
                )
            results += zip(batch, outcomes, strict=False)
            time_slice.go_on()
            if len(outcomes) < len(batch) or time.monotonic() > until or others_wait():
                break
    except HostOverfull:
        if not results:
            raise
    return results


def _save(
    claimed: BatchClaim,
    results: Sequence[tuple[ScoringConfig, Results]],
    shown_config: ScoringConfig,
) -> None:
    """Save results, standings and the board's version together; queue the other attempts again."""
    scored, failed = Attempt.Status.SCORED, Attempt.Status.FAILED
    statuses = {
        attempt.pk: failed if outcome.error else scored for attempt, outcome in results[0][1]
    }
    # First: this locks the challenge, so that only one process writes to a board, and everybody
    # locks the challenge before its attempts.
    is_shown = lock_shown_boards(claimed.attempt.challenge_id, shown_config.pk)
    if not is_shown and claimed.rows.exists():
        raise BoardSwitched
    if not is_shown or not claimed.finish_each(statuses):
        raise LeaseLost
    for config, config_results in results:
        store(config, config_results, shown_config)
    give_back_failed({attempt.pk: out.error.code for attempt, out in results[0][1] if out.error})
    claimed.give_back()
    record_outcomes(claimed.attempt.challenge_id, results)
