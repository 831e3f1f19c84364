"""A large board, and scores to store on it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now

from benchmarks.parts.crowd import START, fill, make_challenge, values
from leaderboard.models import Attempt, Challenge, ScoringConfig
from leaderboard.sandbox import Outcome
from leaderboard.services.board.boards import lock_shown_boards
from leaderboard.services.board.standings.counting import rebuild_standings
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore, attempts_to_score
from leaderboard.services.scoring.claims import Claim
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN, store

NAMES = [f"value-{at}" for at in range(8)]
_numbers = count(1)
_dice = random.Random(5)


def make_board(name: str, attempts: int) -> Challenge:
    """Make a board with one participant for ten attempts."""
    challenge = make_challenge(name, NAMES)
    fill(challenge, participants=attempts // 10, attempts=attempts)
    rebuild_standings(challenge)
    return Challenge.objects.select_related("shown_config__challenge__tenant").get(pk=challenge.pk)


@dataclass(frozen=True, slots=True)
class ScoresToStore:
    config: ScoringConfig
    claims: Sequence[Claim]
    attempts: Sequence[AttemptToScore]
    outcome: Outcome

    def store(self) -> None:
        """Store the scores as a worker does after it has scored one attempt or a batch of
        history."""
        with transaction.atomic():
            if len(self.claims) == 1:
                assert self.claims[0].finish(Attempt.Status.SCORED)
            else:
                mine = Attempt.objects.filter(pk__in=[claim.attempt.pk for claim in self.claims])
                mine.update(status=Attempt.Status.SCORED, finished_at=Now(), lease_token=None)
            lock_shown_boards(self.config.challenge_id, self.config.pk)
            store(self.config, [(attempt, self.outcome) for attempt in self.attempts], self.config)


def scores_to_store(
    board: Challenge, attempt_ids: Sequence[UUID], *, better: bool
) -> ScoresToStore:
    """Prepare scores; with `better`, each beats the score in its participant's standing."""
    attempts = Attempt.objects.filter(pk__in=attempt_ids)
    value = 1000.0 + next(_numbers) if better else 0.0
    outcome = NOTHING_TO_RUN._replace(value=value, raw_value=value)
    claims, to_score = list(map(_claim, attempts)), attempts_to_score(attempts)
    return ScoresToStore(board.shown, claims, to_score, outcome)


def new_attempts(board: Challenge, participants: Sequence[int]) -> list[UUID]:
    """Insert a new attempt, claimed by a worker, for each participant."""
    phase = board.phases.get()
    rows = [
        Attempt(
            tenant=board.tenant,
            challenge=board,
            participant_id=participant,
            scoring_config=board.shown,
            phase=phase,
            submitted_at=START + timedelta(days=300, seconds=next(_numbers)),
            succeeded=True,
            tokens_total=_dice.randrange(5000),
            elapsed_ms=_dice.randrange(60_000),
            rating=_dice.randrange(11),
            values=dict(values(_dice, NAMES)),
            status=Attempt.Status.SCORING,
            lease_token=uuid4(),
        )
        for participant in participants
    ]
    return [attempt.pk for attempt in Attempt.objects.bulk_create(rows)]


def _claim(attempt: Attempt) -> Claim:
    assert attempt.lease_token
    return Claim(attempt, attempt.lease_token)
