"""Boards of generated attempts, inserted without the services, and their expected standings."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from leaderboard.models import Attempt, Board, Challenge, Participant, Score, ScoringConfig
from leaderboard.rules.ranking.places import CountingMode
from leaderboard.rules.ranking.standing_draft import StandingDraft
from leaderboard.rules.rewards.intervals import Estimate
from leaderboard.rules.rewards.reductions import MetricValue, value_of
from leaderboard.rules.rewards.reported import with_reported
from leaderboard.rules.visibility.families import family_of
from leaderboard.services.board.standings.counting import PhaseOfLines, count_lines
from leaderboard.services.board.standings.drafts import (
    SHOWN_FACTS,
    ScoredAttempt,
    standing_draft_of,
)

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
FEW = (None, 0, 1, 1, 2, 3)
ENTRYPOINT = "scorers.weighted:WeightedScorer"
BY_METRICS = [{"key": "mean", "direction": "desc"}, {"key": "solved", "direction": "desc"}]
WAYS: dict[str, dict[str, Any]] = {
    "first": {"scoring_strategy": "first"},
    "fastest": {"scoring_strategy": "fastest"},
    "latest": {"scoring_strategy": "fewest_tokens", "counting": "latest"},
    "rounded": {"scoring_strategy": "highest_rating"},
    "custom": {"scoring_strategy": "custom", "scoring_entrypoint": ENTRYPOINT},
    "succeeded": {
        "scoring_strategy": "custom",
        "scoring_entrypoint": ENTRYPOINT,
        "only_succeeded": True,
    },
    "metrics": {
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean", "reported": "allow"}],
        "rank_by": [*BY_METRICS, {"key": "submitted_at", "direction": "asc"}],
        "values": ["solved"],
    },
    "coverage": {
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "rank_by": [{"key": "cost_usd", "direction": "asc"}],
        "tasks": [{"name": f"t{at}"} for at in range(4)],
        "min_coverage": 0.5,
    },
}
"""Fields of one challenge for each way of ranking that the code has."""


def crowd(challenge: Challenge, *, participants: int, attempts: int, seed: int) -> None:
    """Insert scored attempts with ties, gaps, failures, withdrawals, metric values and reported
    ones."""
    dice = random.Random(seed)
    config = challenge.shown
    people = Participant.objects.bulk_create(
        Participant(
            tenant=challenge.tenant,
            handle=f"p{at} of {challenge.slug}",
            handle_key=f"p{at} of {challenge.slug}",
            slug=f"p{at}-{challenge.slug}",
        )
        for at in range(participants)
    )
    new_attempts = [_attempt(challenge, dice, dice.choice(people)) for _ in range(attempts)]
    Attempt.objects.bulk_create(new_attempts)
    Score.objects.bulk_create(_score(config, dice, attempt) for attempt in new_attempts)


def plainly_derived(config: ScoringConfig) -> dict[int, StandingDraft]:
    """Return each participant's expected standing: the best of the drafts of single attempts."""
    best: dict[int, StandingDraft] = {}
    for score in Score.objects.filter(config=config).select_related("attempt"):
        line = plain_line(config, score)
        other = best.setdefault(line.participant_id, line)
        if other is not line:
            first = min(other, line, key=lambda draft: draft.place.pick_key)
            first.attempts = other.attempts + line.attempts
            best[line.participant_id] = first
    return best


def plain_line(
    config: ScoringConfig, score: Score, counting: CountingMode | None = None
) -> StandingDraft:
    attempt = score.attempt
    scored = ScoredAttempt(
        attempt_id=attempt.pk,
        participant_id=attempt.participant_id,
        submitted_at=attempt.submitted_at,
        succeeded=attempt.fact("succeeded"),
        withdrawn=attempt.withdrawn_at is not None,
        failed=bool(score.error_code),
        chosen=attempt.chosen_at is not None,
        family=family_of(attempt.meta),
        values={"score": score.value, **{key: attempt.fact(key) for key in SHOWN_FACTS}},
        reported=attempt.values,
        metric_values=score.metric_values,
    )
    return standing_draft_of(config, counting or config.ranking.counting, scored)


def _attempt(challenge: Challenge, dice: random.Random, who: Participant) -> Attempt:
    reported = {"solved": float(dice.randrange(3))} if dice.random() < 0.5 else {}
    return Attempt(
        tenant=challenge.tenant,
        challenge=challenge,
        participant=who,
        scoring_config=challenge.shown,
        phase=challenge.phases.first(),
        submitted_at=NOON + timedelta(seconds=dice.randrange(5), microseconds=dice.randrange(2)),
        succeeded=dice.choice([True, True, True, False, None]),
        tokens_total=dice.choice(FEW),
        elapsed_ms=dice.choice(FEW),
        rating=dice.choice([None, 1.0, 1.0 + 1e-10, 2.5]),
        cost_usd=dice.choice([None, 0.1 + 0.2, 0.3, 1.0]),
        values=reported,
        status=Attempt.Status.SCORED,
        withdrawn_at=timezone.now() if dice.random() < 0.1 else None,
    )


def _score(config: ScoringConfig, dice: random.Random, attempt: Attempt) -> Score:
    failed = dice.random() < 0.1
    return Score(
        attempt=attempt,
        config=config,
        value=None if failed else dice.randrange(4) / 3,
        error_code="timeout" if failed else "",
        metric_values=_metric_values(config, dice) if config.metric_specs else {},
    )


def _metric_values(config: ScoringConfig, dice: random.Random) -> dict[str, MetricValue]:
    if dice.random() < 0.2:
        return {}
    tasks = dice.randrange(5)
    estimate = Estimate(dice.choice([None, 0.0, 0.25, 0.75]), tasks)
    values = {"mean": value_of(estimate, 4, dice.randrange(2), None if tasks else "undefined")}
    stated = {"mean": 0.5} if dice.random() < 0.3 else {}
    return with_reported(values, stated, config.reported_rule)


def count(board: Board, lines: Sequence[StandingDraft]) -> None:
    """Count drafts into a shown board, as workers do."""
    with transaction.atomic():
        phase = PhaseOfLines(board.phase_id, board.counting)
        count_lines(board.config, {phase: lines}, is_shown=True)
