"""Reading attempts: each with its score on the board, whether it counts, and its rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from leaderboard.models import (
    Attempt,
    Board,
    Challenge,
    MetricRun,
    Score,
    ScoringConfig,
    Standing,
    User,
)
from leaderboard.models.built_once import Lookup, Values
from leaderboard.rules.ranking.places import rank_key_of
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.services.attempts.reading import Reading
from leaderboard.services.attempts.redaction import redacted
from leaderboard.services.attempts.visibility import may_see_details
from leaderboard.services.board.boards import shown_boards
from leaderboard.services.board.reading.ranks import bucket_bounds_of, places
from leaderboard.services.competition.organisers.marks import verifications_of
from leaderboard.services.competition.participants.ownership import own_among
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import visible_board
from leaderboard.services.evaluation.progress import progress_of_each

__all__ = ["WAITING", "Reading", "other_scores", "read_attempts"]

WAITING = (Attempt.Status.QUEUED, Attempt.Status.HELD, Attempt.Status.SCORING)
"""Statuses of attempts without a result: they have no score and count in no standing."""
_SCORES = Lookup(
    lambda attempt, shown_config, own: Score.objects.filter(
        attempt=attempt, config__in=[shown_config, own]
    ),
    attempt=UUID,
    shown_config=int,
    own=int,
)
_STANDING = Values(
    lambda board, participant, attempt: (
        Standing.objects.filter(board=board, participant=participant, attempt=attempt)
        .exclude(unranked="withdrawn")
        .values_list("unranked", "sort_key")
    ),
    board=int,
    participant=int,
    attempt=UUID,
)
"""The two queries about a single attempt, prepared because waiting clients repeat them."""


def read_attempts(
    challenge: Challenge,
    attempts: Sequence[Attempt],
    *,
    reader: User | None,
    organiser: bool,
    access: Access,
) -> list[Reading]:
    """Attempts at one challenge, in as many queries as for a single one.

    They come with `participant` and `scoring_config` selected. `organiser`: the reader organises
    the challenge and sees everything. `access`: what the reader sees; whoever calls this has left
    out the attempts that the reader may not know of.
    """
    shown_config = challenge.shown
    ended = [attempt for attempt in attempts if attempt.status not in WAITING]
    scores = _scores(shown_config, ended)
    ranks = _counting(challenge, ended, access)
    progress = progress_of_each(attempt for attempt in attempts if attempt.status in WAITING)
    own_values = _text_values(attempts)
    verified = verifications_of(challenge, (attempt.pk for attempt in ended))
    own: set[int] = set()
    if ended and reader is not None and not organiser:
        own = own_among(challenge, (attempt.participant for attempt in ended), reader)
    readings = []
    for attempt in attempts:
        attempt.challenge = challenge
        score = scores.get(attempt.pk)
        config = (
            shown_config if score and score.config_id == shown_config.pk else attempt.scoring_config
        )
        reading = Reading(
            attempt=attempt,
            config=config,
            score=score,
            counts=attempt.pk in ranks,
            rank=ranks.get(attempt.pk),
            details_open=may_see_details(reader, attempt, config, organiser=organiser, own=own),
            organiser=organiser,
            progress=progress.get(attempt.pk),
            own_values=own_values.get((attempt.pk, config.pk), {}) if score else {},
            verification=verified.get(attempt.pk),
        )
        readings.append(redacted(reading, access))
    return readings


def other_scores(reading: Reading) -> list[Score]:
    """Scores under other versions, the newest first; none while the attempt is scored again."""
    score = reading.score
    if score is None or reading.score_hidden or not reading.is_exact:
        return []
    attempt = reading.attempt
    scores = attempt.scores.exclude(pk=score.pk).select_related("config")
    ordered = scores.defer("details", "error_detail", "output").order_by("-config__number")
    shown_config = attempt.challenge.shown
    return [score for score in ordered if shown_config.lets_show(score.config, attempt.phase_id)]


def _scores(shown_config: ScoringConfig, attempts: Sequence[Attempt]) -> dict[UUID, Score]:
    own = {attempt.pk: attempt.scoring_config_id for attempt in attempts}
    scores: Iterable[Score] = ()
    if len(attempts) == 1:
        ((pk, config),) = own.items()
        scores = _SCORES.instances(attempt=pk, shown_config=shown_config.pk, own=config)
    elif attempts:
        scores = Score.objects.filter(attempt__in=own, config__in={shown_config.pk, *own.values()})
    scores_by_attempt: dict[UUID, Score] = {}
    for score in scores:
        is_shown = score.config_id == shown_config.pk
        if is_shown or (
            score.config_id == own[score.attempt_id] and score.attempt_id not in scores_by_attempt
        ):
            scores_by_attempt[score.attempt_id] = score
    return scores_by_attempt


def _text_values(attempts: Sequence[Attempt]) -> dict[tuple[UUID, int], dict[str, MetricValue]]:
    """The values of finished runs of text metrics, by attempt and scoring config."""
    evaluated = [attempt.pk for attempt in attempts if attempt.instance_count is not None]
    values: dict[tuple[UUID, int], dict[str, MetricValue]] = {}
    if evaluated:
        runs = MetricRun.objects.filter(evaluation__in=evaluated, value__isnull=False)
        for attempt, config, value in runs.values_list("evaluation_id", "config_id", "value"):
            values.setdefault((attempt, config), {}).update(value or {})
    return values


def _counting(
    challenge: Challenge, attempts: Sequence[Attempt], access: Access
) -> dict[UUID, int | None]:
    """The attempts that their participants' standings show, with their ranks.

    On the boards that the reader sees: a frozen one may count another attempt.
    """
    if not attempts:
        return {}
    ranks: dict[UUID, int | None] = {}
    for stored_board in shown_boards(challenge):
        board = visible_board(stored_board, access).board
        those = [attempt for attempt in attempts if attempt.phase_id == board.phase_id]
        if those and board.is_complete:
            ranks |= _counting_on(board, those)
            ranks |= _counting_out_of_ranking(board, those)
    return ranks


def _counting_out_of_ranking(board: Board, attempts: Sequence[Attempt]) -> dict[UUID, None]:
    """The attempts that rows out of the ranking show."""
    beside = board.board_out_of_ranking
    if beside is None or not beside.is_complete:
        return {}
    return dict.fromkeys(_rank_keys(beside, attempts))


def _counting_on(board: Board, attempts: Sequence[Attempt]) -> dict[UUID, int | None]:
    keys = _rank_keys(board, attempts)
    wanted = {key for key in keys.values() if key is not None}
    ranked = places(board.pk, wanted, bucket_bounds_of(board)) if wanted else {}
    return {pk: None if key is None else ranked[key].better + 1 for pk, key in keys.items()}


def _rank_keys(board: Board, attempts: Sequence[Attempt]) -> dict[UUID, bytes | None]:
    """The attempts that standings show, with the rank keys of the ranked ones."""
    if len(attempts) == 1:
        (one,) = attempts
        standings = [
            (one.pk, *row)
            for row in _STANDING.all(board=board.pk, participant=one.participant_id, attempt=one.pk)
        ]
    else:
        standings = list(
            Standing.objects.filter(
                board=board,
                participant__in={attempt.participant_id for attempt in attempts},
                attempt__in=[attempt.pk for attempt in attempts],
            )
            .exclude(unranked="withdrawn")
            .values_list("attempt", "unranked", "sort_key")
        )
    return {pk: None if unranked else rank_key_of(bytes(key)) for pk, unranked, key in standings}
