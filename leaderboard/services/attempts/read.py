"""Reading attempts: each with its score on the board, whether it counts, and its rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from leaderboard.models import (
    Attempt,
    Challenge,
    Entry,
    MetricRun,
    Score,
    ScoringConfig,
    Standing,
    User,
)
from leaderboard.models.built_once import Lookup, Values
from leaderboard.rules.ranking import rank_key_of
from leaderboard.rules.reductions import MetricValue
from leaderboard.services.attempts.visibility import may_see_details
from leaderboard.services.board.ranks import places, shown_fences
from leaderboard.services.evaluation.progress import EvaluationProgress, progress_of_each

WAITING = (Attempt.Status.QUEUED, Attempt.Status.HELD, Attempt.Status.SCORING)
"""Statuses of attempts without a result: they have no score and count in no standing."""
_SCORES = Lookup(
    lambda attempt, shown, own: Score.objects.filter(attempt=attempt, config__in=[shown, own]),
    attempt=UUID,
    shown=int,
    own=int,
)
_STANDING = Values(
    lambda shown, participant, attempt: (
        Standing.objects.filter(config=shown, participant=participant, attempt=attempt)
        .exclude(unranked="withdrawn")
        .values_list("unranked", "sort_key")
    ),
    shown=int,
    participant=int,
    attempt=UUID,
)
"""The two queries about a single attempt, prepared because waiting clients repeat them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An attempt as a reader sees it.

    `score` is the one under the scoring config that the board shows, else under the attempt's own;
    None while the attempt waits. `counts`: the board shows this one of its participant's attempts;
    `rank` is then its rank, None for an unranked one. `progress` is how far its evaluation is while
    it waits, if it has instances; `own_values` are all values of its text metrics, on the board or
    not.
    """

    attempt: Attempt
    config: ScoringConfig
    score: Score | None
    counts: bool
    rank: int | None
    details_open: bool
    organiser: bool
    progress: EvaluationProgress | None = None
    own_values: Mapping[str, MetricValue] = field(default_factory=dict)

    @property
    def metric_values(self) -> dict[str, MetricValue]:
        """The board's metric values, and those of metrics that a document added."""
        return {**self.own_values, **(self.score.metric_values if self.score else {})}

    @property
    def is_held(self) -> bool:
        """Whether the attempt waits for an organiser, because the code of a plugin has changed."""
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
    ended = [each for each in attempts if each.status not in WAITING]
    scores = _scores(shown, ended)
    ranks = _counting(challenge, ended)
    progress = progress_of_each(each for each in attempts if each.status in WAITING)
    own_values = _text_values(attempts)
    teams = _teams(challenge, ended, reader) if not organiser else set()
    readings = []
    for attempt in attempts:
        attempt.challenge = challenge
        score = scores.get(attempt.pk)
        config = shown if score and score.config_id == shown.pk else attempt.scoring_config
        readings.append(
            Reading(
                attempt=attempt,
                config=config,
                score=score,
                counts=attempt.pk in ranks,
                rank=ranks.get(attempt.pk),
                details_open=may_see_details(
                    reader, attempt, config, organiser=organiser, teams=teams
                ),
                organiser=organiser,
                progress=progress.get(attempt.pk),
                own_values=own_values.get((attempt.pk, config.pk), {}) if score else {},
            )
        )
    return readings


def _teams(challenge: Challenge, ended: Sequence[Attempt], reader: User | None) -> set[int]:
    """The participants that the reader is a member of; read only if attempts of others are."""
    if reader is None or all(each.participant.owner_id == reader.pk for each in ended):
        return set()
    return set(Entry.objects.of(reader, challenge).values_list("participant_id", flat=True))


def _scores(shown: ScoringConfig, attempts: Sequence[Attempt]) -> dict[UUID, Score]:
    own = {attempt.pk: attempt.scoring_config_id for attempt in attempts}
    scores: Iterable[Score] = ()
    if len(attempts) == 1:
        ((pk, config),) = own.items()
        scores = _SCORES.each(attempt=pk, shown=shown.pk, own=config)
    elif attempts:
        scores = Score.objects.filter(attempt__in=own, config__in={shown.pk, *own.values()})
    found: dict[UUID, Score] = {}
    for score in scores:
        is_shown = score.config_id == shown.pk
        if is_shown or (score.config_id == own[score.attempt_id] and score.attempt_id not in found):
            found[score.attempt_id] = score
    return found


def _text_values(attempts: Sequence[Attempt]) -> dict[tuple[UUID, int], dict[str, MetricValue]]:
    """The values of finished runs of text metrics, by attempt and scoring config."""
    evaluated = [each.pk for each in attempts if each.instance_count is not None]
    found: dict[tuple[UUID, int], dict[str, MetricValue]] = {}
    if evaluated:
        runs = MetricRun.objects.filter(evaluation__in=evaluated, value__isnull=False)
        for attempt, config, value in runs.values_list("evaluation_id", "config_id", "value"):
            found.setdefault((attempt, config), {}).update(value or {})
    return found


def _counting(challenge: Challenge, attempts: Sequence[Attempt]) -> dict[UUID, int | None]:
    """The attempts that their participants' standings show, with their ranks on the board."""
    shown = challenge.shown
    keys = _rank_keys(shown, attempts)
    wanted = {key for key in keys.values() if key is not None}
    ranked = places(shown.pk, wanted, shown_fences(challenge)) if wanted else {}
    return {pk: None if key is None else ranked[key].better + 1 for pk, key in keys.items()}


def _rank_keys(shown: ScoringConfig, attempts: Sequence[Attempt]) -> dict[UUID, bytes | None]:
    """The attempts that standings show, with the rank keys of the ranked ones."""
    if not attempts:
        return {}
    if len(attempts) == 1:
        (one,) = attempts
        standings = [
            (one.pk, *row)
            for row in _STANDING.all(shown=shown.pk, participant=one.participant_id, attempt=one.pk)
        ]
    else:
        standings = list(
            Standing.objects.filter(
                config=shown,
                participant__in={each.participant_id for each in attempts},
                attempt__in=[each.pk for each in attempts],
            )
            .exclude(unranked="withdrawn")
            .values_list("attempt", "unranked", "sort_key")
        )
    return {pk: None if unranked else rank_key_of(bytes(key)) for pk, unranked, key in standings}
