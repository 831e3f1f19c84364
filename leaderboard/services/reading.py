"""Reading attempts: each with the score that its board goes by, whether it counts, and its rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from leaderboard.models import (
    Attempt,
    Challenge,
    MetricRun,
    Score,
    ScoringConfig,
    Standing,
    User,
)
from leaderboard.services.evaluation_progress import Progress, progress_of_each
from leaderboard.services.ranks import places
from leaderboard.services.visibility import may_see_details

WAITING = (Attempt.Status.QUEUED, Attempt.Status.HELD, Attempt.Status.SCORING)


@dataclass(frozen=True, slots=True)
class Reading:
    """An attempt as a reader sees it.

    `score` is the one under the scoring config that the board shows, else under the attempt's
    own; None while the attempt waits. `counts`: of its participant's attempts the board shows
    this one; `rank` is then its rank, None for an unranked one. `progress` is how far its
    evaluation is while it waits, if it brought instances; `own_values` are all that text metrics
    made of them, on the board or not.
    """

    attempt: Attempt
    config: ScoringConfig
    score: Score | None
    counts: bool
    rank: int | None
    details_open: bool
    organiser: bool
    progress: Progress | None = None
    own_values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metric_values(self) -> dict[str, Any]:
        """Those of the board, and beside them those of metrics that a document brought."""
        return {**self.own_values, **(self.score.metric_values if self.score else {})}

    @property
    def is_held(self) -> bool:
        """Whether it waits for an organiser, because the code of a plugin has changed."""
        return self.attempt.status == Attempt.Status.HELD

    @property
    def status(self) -> str:
        """`queued`, `scoring`, `scored` or `failed`, the last under the config that is read."""
        if self.is_held:
            return Attempt.Status.QUEUED
        if self.score is None:
            return self.attempt.status
        return Attempt.Status.FAILED if self.score.error_code else Attempt.Status.SCORED


def read_attempts(
    challenge: Challenge, attempts: Sequence[Attempt], *, reader: User | None, organiser: bool
) -> list[Reading]:
    """Attempts at one challenge, in as many queries as for a single one.

    They come with `participant` and `scoring_config` selected. `organiser`: the reader organises
    the challenge and sees everything.
    """
    shown = challenge.shown
    scores = _scores(shown, attempts)
    ranks = _counting(shown, attempts)
    progress = progress_of_each(each for each in attempts if each.status in WAITING)
    own_values = _text_values(attempts)
    readings = []
    for attempt in attempts:
        attempt.challenge = challenge
        score = None if attempt.status in WAITING else scores.get(attempt.pk)
        config = shown if score and score.config_id == shown.pk else attempt.scoring_config
        readings.append(
            Reading(
                attempt=attempt,
                config=config,
                score=score,
                counts=attempt.pk in ranks,
                rank=ranks.get(attempt.pk),
                details_open=may_see_details(reader, attempt, config, organiser=organiser),
                organiser=organiser,
                progress=progress.get(attempt.pk),
                own_values=own_values.get((attempt.pk, config.pk), {}) if score else {},
            )
        )
    return readings


def _scores(shown: ScoringConfig, attempts: Sequence[Attempt]) -> dict[UUID, Score]:
    own = {attempt.pk: attempt.scoring_config_id for attempt in attempts}
    found: dict[UUID, Score] = {}
    for score in Score.objects.filter(attempt__in=own, config__in={shown.pk, *own.values()}):
        is_shown = score.config_id == shown.pk
        if is_shown or (score.config_id == own[score.attempt_id] and score.attempt_id not in found):
            found[score.attempt_id] = score
    return found


def _text_values(attempts: Sequence[Attempt]) -> dict[tuple[UUID, int], dict[str, Any]]:
    """The values of finished runs of text metrics, by attempt and scoring config."""
    evaluated = [each.pk for each in attempts if each.instance_count is not None]
    found: dict[tuple[UUID, int], dict[str, Any]] = {}
    if evaluated:
        runs = MetricRun.objects.filter(evaluation__in=evaluated, value__isnull=False)
        for attempt, config, value in runs.values_list("evaluation_id", "config_id", "value"):
            found.setdefault((attempt, config), {}).update(value or {})
    return found


def _counting(shown: ScoringConfig, attempts: Sequence[Attempt]) -> dict[UUID, int | None]:
    """Those of the attempts that their participants stand with, and their ranks."""
    standings = list(
        Standing.objects.filter(
            config=shown,
            participant__in={attempt.participant_id for attempt in attempts},
            attempt__in=[attempt.pk for attempt in attempts],
        ).exclude(unranked="withdrawn")
    )
    ranked = places(shown.pk, {each.rank_key for each in standings if not each.unranked})
    return {
        each.attempt_id: None if each.unranked else ranked[each.rank_key].better + 1
        for each in standings
    }
