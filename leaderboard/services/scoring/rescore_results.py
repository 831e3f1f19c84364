"""Storing the results of a rescore, and the event that says what was stored."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial

from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.rules.json.canonical import digest
from leaderboard.rules.json.values import JsonObject
from leaderboard.sandbox import Outcome
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.scoring.acceptance import CodeChanged, accepted
from leaderboard.services.scoring.outcomes import UNSTORABLE, ranked_value, store, unstorable
from leaderboard.services.transactions import retried

logger = logging.getLogger(__name__)

FINISHED = (Attempt.Status.SCORED, Attempt.Status.FAILED)


def store_accepted(
    config: ScoringConfig, results: Sequence[tuple[AttemptToScore, Outcome]]
) -> None:
    """Store the results that the config's board accepts. Raises CodeChanged if there are others."""
    belonging = accepted(config, results)
    _store_each(config, belonging)
    if len(belonging) < len(results):
        raise CodeChanged


def _store_each(config: ScoringConfig, results: Sequence[tuple[AttemptToScore, Outcome]]) -> None:
    """Store results together, or alone if one cannot be stored; a failure takes its place."""
    try:
        retried(partial(_write, config, results))
    except UNSTORABLE:
        if len(results) > 1:
            for result in results:
                _store_each(config, [result])
            return
        logger.exception("the result of attempt %s cannot be stored", results[0][0].pk)
        retried(partial(_write, config, [unstorable(*results[0])]))


def _write(config: ScoringConfig, results: Sequence[tuple[AttemptToScore, Outcome]]) -> None:
    challenges = Challenge.objects.select_related("shown_config")
    challenges.lock_challenge_shared(config.challenge_id)
    shown_config = challenges.get(pk=config.challenge_id).shown
    if shown_config.pk == config.pk:
        challenges.lock_boards(config.challenge_id)
    unchanged = list(_as_they_were(results))
    store(config, unchanged, shown_config)
    if unchanged:
        record_event(config.challenge_id, EventKind.RESCORED, _rescored(config, unchanged))


def _rescored(
    config: ScoringConfig, results: Sequence[tuple[AttemptToScore, Outcome]]
) -> JsonObject:
    """The body of the event for a part of a rescore: which attempts, and a digest of their values.

    The digest is that of a list `[attempt, values or error code]` by the ids of the attempts.
    """
    keys = config.ranked_keys
    lines = [
        [str(attempt.pk), outcome.error.code if outcome.error else _values(attempt, outcome, keys)]
        for attempt, outcome in sorted(results, key=lambda result: result[0].pk)
    ]
    ends = {"first": lines[0][0], "last": lines[-1][0]}
    return {"version": config.number, "attempts": len(lines), "digest": digest(lines), **ends}


def _values(attempt: AttemptToScore, outcome: Outcome, keys: Sequence[str]) -> list[object]:
    return [ranked_value(attempt, outcome, key) for key in keys]


def _as_they_were(
    results: Sequence[tuple[AttemptToScore, Outcome]],
) -> Iterator[tuple[AttemptToScore, Outcome]]:
    """The results without those of attempts that were retried meanwhile: these are stragglers.

    What plugins wrote is left out if the account of an attempt is being deleted, or was deleted.
    """
    ids = [attempt.pk for attempt, _ in results]
    finished = Attempt.objects.filter(pk__in=ids, status__in=FINISHED)
    finished_at = dict(finished.values_list("pk", "finished_at"))
    leaving = finished.exclude(participant__owner__is_active=True)
    slugs = dict(leaving.values_list("pk", "participant__slug"))
    for attempt, outcome in results:
        if finished_at.get(attempt.pk) == attempt.finished_at:
            is_erased = slugs.get(attempt.pk, attempt.participant_slug) != attempt.participant_slug
            yield attempt, _without_texts(outcome) if is_erased else outcome


def _without_texts(outcome: Outcome) -> Outcome:
    """An outcome as it stays when an account is deleted."""
    error = outcome.error and outcome.error._replace(message="", detail="")
    return outcome._replace(details=None, details_note="", error=error, output="")
