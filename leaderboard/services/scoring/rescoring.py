"""Rescoring: score every attempt again, under a new scoring config, beside the shown board.

A rescore cuts the ids of the attempts into slices, which workers claim as they claim attempts.
Scores and standings of the new config grow beside the old ones; when none is missing, one UPDATE
switches the board. An interrupted rescore continues where it stopped.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.db.models.functions import Now

from leaderboard.messages import queue
from leaderboard.models import (
    Attempt,
    Board,
    Challenge,
    MetricRun,
    RescoreSlice,
    Score,
    ScoringConfig,
    Standing,
    User,
)
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.upkeep import vacuum
from leaderboard.operating.request_ids import caused_by
from leaderboard.rules.json.values import JsonObject
from leaderboard.sandbox import HostOverfull, Outcome
from leaderboard.services.board import buckets
from leaderboard.services.board.boards import boards_to_change
from leaderboard.services.board.standings.comparisons import compare_all
from leaderboard.services.board.standings.counting import forget_older
from leaderboard.services.board.standings.public_ranks import keep_public_ranks
from leaderboard.services.challenges.rescores import begin_rescore, free_held
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore, attempts_to_score
from leaderboard.services.evaluation.time_slices import (
    SECONDS_PER_TIME_SLICE,
    LeaseLost,
    TimeSlice,
    TimeSliceOver,
)
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.scoring.acceptance import CodeChanged, may_go_on
from leaderboard.services.scoring.claims import MAX_DELIVERIES
from leaderboard.services.scoring.lost import WORKER_LOST
from leaderboard.services.scoring.measure import measured_batches
from leaderboard.services.scoring.rescore_results import FINISHED, store_accepted
from leaderboard.services.scoring.single import CANCELLED, BackgroundScoring, score_waiting
from leaderboard.services.scoring.slices import claim_slice, lease_of
from leaderboard.services.scoring.stateful import batch_outcomes
from leaderboard.services.transactions import TRIES

logger = logging.getLogger(__name__)

PIECE = 1000
"""How many attempts one query looks up."""
OVERLAP = timedelta(minutes=5)
"""The longest time from an attempt's `finished_at` to the commit that saves it."""
SECONDS_PER_STORE = 5.0
SECONDS_PER_NOTIFICATION = 20.0
SECONDS_TOGETHER = 1.0
"""How long one child scores attempts together before other waiting attempts are scored."""


def start_rescore(challenge: Challenge, *, user: User | None = None) -> tuple[ScoringConfig, int]:
    """Begin to score every attempt again: see `challenges.rescores.begin_rescore`.

    Without attempts the rescore is done at once.
    """
    config, total = begin_rescore(challenge, user=user)
    if total == 0:
        finish_if_done(config.pk)
    return config, total


def work_on(config_id: int, *, seconds: float = SECONDS_PER_NOTIFICATION) -> int:
    """Score slices until none is free or the seconds have passed; returns how many were finished.

    If the plugins' code has changed since the rescore began, the rescore waits for an organiser or
    is replaced by another rescore.
    """
    config = ScoringConfig.objects.get(pk=config_id)
    with caused_by(config.rescore_request_id):
        return _work_on(config, seconds)


def _work_on(config: ScoringConfig, seconds: float) -> int:
    done, until = 0, time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if config.is_rescoring and not may_go_on(config):
            return done
        claimed = claim_slice(config.pk)
        if claimed is None:
            finish_if_done(config.pk)
            return done
        done += _score_slice(claimed, left)
        score_waiting()
    queue.notify_of_rescore(config.pk)
    return done


def finish_if_done(config_id: int) -> bool:
    """Switch the board to the config if every attempt has a score under it; True if it switched."""
    config = ScoringConfig.objects.select_related("challenge__tenant").get(pk=config_id)
    if not config.is_rescoring or config.slices.filter(done=False).exists():
        return False
    for _ in range(TRIES):
        if not _unfinished(config).exists():  # another worker has switched meanwhile
            return False
        try:
            _score(
                config,
                _stragglers(config),
                TimeSlice(lambda stored: True, between=BackgroundScoring()),
            )
        except TimeSliceOver:
            queue.notify_of_rescore(config_id)
            return False
        except CodeChanged:
            return False
        if _switch(config):
            _clear_up(config)
            return True
    return False


def _clear_up(config: ScoringConfig) -> None:
    """Delete rows that only the older boards and the rescore needed."""
    forget_older(config)
    older = {"config__challenge": config.challenge_id, "config__number__lt": config.number}
    runs = MetricRun.objects.filter(**older)
    runs.filter(evaluation__attempt__status__in=FINISHED).delete()
    config.slices.all().delete()
    vacuum(Standing)
    logger.info("%s shows scoring version %d", config.challenge.slug, config.number)


def _score_slice(claimed: RescoreSlice, seconds: float) -> bool:
    """Score the attempts of a slice; returns whether the slice is finished.

    If not, it waits again because its time is over or the plugins' code has changed, or another
    worker has claimed it. Scores that were stored remain valid. Raises HostOverfull; then the slice
    waits again.
    """
    config = claimed.config
    in_slice = _finished(config).filter(pk__gte=claimed.first, pk__lte=claimed.last)
    mine = RescoreSlice.objects.filter(pk=claimed.pk, lease_token=claimed.lease_token)
    lease = lease_of(config)
    time_slice = TimeSlice(
        lambda stored: bool(mine.update(lease_until=Now() + lease)),
        seconds=max(seconds, SECONDS_PER_TIME_SLICE),
        between=BackgroundScoring(),
    )
    try:
        _score(config, in_slice, time_slice)
    except (TimeSliceOver, CodeChanged):
        mine.update(lease_token=None, lease_until=None, deliveries=0)
        return False
    except LeaseLost:
        return False
    except HostOverfull:
        if claimed.deliveries >= MAX_DELIVERIES:
            _give_up_first(config, in_slice)
            mine.update(deliveries=0)
        mine.update(lease_token=None, lease_until=None)
        raise
    return bool(mine.update(done=True))


def _give_up_first(config: ScoringConfig, attempts: AttemptQuerySet) -> None:
    """End the first attempt without a score, for which the host never has enough memory."""
    for piece in _unscored(config, attempts):
        store_accepted(config, [(piece[0], WORKER_LOST)])
        return


def _score(config: ScoringConfig, attempts: AttemptQuerySet, time_slice: TimeSlice) -> None:
    """Score attempts; store the scores every few seconds and after each `PIECE` of attempts.

    Raises TimeSliceOver, HostOverfull, LeaseLost and CodeChanged; the scores so far are stored
    if the config's board accepts them.
    """
    for piece in _unscored(config, attempts):
        cancelled = _cancelled(piece)
        results = [(attempt, CANCELLED) for attempt in piece if attempt.pk in cancelled]
        rest = [attempt for attempt in piece if attempt.pk not in cancelled]
        store_at = time.monotonic() + SECONDS_PER_STORE
        try:
            for result in _results(config, rest, time_slice):
                results.append(result)
                if time.monotonic() > store_at:
                    store_accepted(config, results)
                    results.clear()
                    store_at = time.monotonic() + SECONDS_PER_STORE
                    time_slice.renew()
        except (TimeSliceOver, HostOverfull):
            store_accepted(config, results)
            raise
        store_accepted(config, results)
        time_slice.renew()


def _cancelled(attempts: Sequence[AttemptToScore]) -> set[UUID]:
    """The ids of those that were cancelled. They count towards no quota, so they get no score."""
    scores = Score.objects.filter(attempt__in=[attempt.pk for attempt in attempts])
    own = scores.filter(config=F("attempt__scoring_config"), error_code="cancelled")
    return set(own.values_list("attempt_id", flat=True))


def _results(
    config: ScoringConfig, piece: Sequence[AttemptToScore], time_slice: TimeSlice
) -> Iterator[tuple[AttemptToScore, Outcome]]:
    """Measure and score attempts. Reads evidence one attempt at a time.

    Every second, other waiting attempts are scored. Raises TimeSliceOver and LeaseLost, after
    yielding the results so far.
    """
    compared = config.slices.filter(done=True).exists()
    left = len(piece)
    for batch in measured_batches(config, piece, time_slice):
        done = 0
        while done < len(batch):
            rest = batch[done:]
            batch_results = batch_outcomes(
                config,
                rest,
                compared=compared,
                seconds=SECONDS_TOGETHER,
                between=time_slice.go_on,
            )
            yield from zip(rest, batch_results, strict=False)
            done += len(batch_results)
            left -= len(batch_results)
            compared = compared or len(batch_results) > 1  # else the comparison may be incomplete
            time_slice.go_on()
            if left and time_slice.has_lasted():
                raise TimeSliceOver


def _switch(config: ScoringConfig) -> bool:
    """Replace the old board by the new one, with one UPDATE.

    False if an attempt ended in between, or another worker switched first. A worker that finishes
    an attempt also locks the challenge. So either it commits before this lock, and this function
    sees its attempt, or it finds that the board has switched, and scores for the new one.
    """
    with transaction.atomic():
        locked = Challenge.objects.select_for_update().get(pk=config.challenge_id)
        unfinished = _unfinished(config)
        if not unfinished.exists() or any(_unscored(config, _stragglers(config))):
            return False
        unfinished.update(rescore_finished_at=Now())
        keep_public_ranks(locked.shown, config)
        # The new boards have counted fewer changes, and no version may come back.
        before = Board.objects.of(locked.shown).aggregate(highest=Max("version"))["highest"] or 0
        switched = Challenge.objects.filter(
            pk=config.challenge_id, shown_config__number__lt=config.number
        ).update(shown_config=config, board_version=F("board_version") + before + 1)
        if switched:
            for board in boards_to_change(config):
                if board.is_complete:
                    compare_all(board)
                    buckets.build(board.pk)
        free_held(locked)
        if switched or locked.shown_config_id == config.pk:
            _note_switch(locked, config)
    return True


def _note_switch(challenge: Challenge, config: ScoringConfig) -> None:
    """Store that the board shows a config from now on, and write the log.

    challenge: as it was before.
    """
    now = received_now()
    ScoringConfig.objects.filter(pk=challenge.shown.pk).update(shown_until=now)
    ScoringConfig.objects.filter(pk=config.pk).update(
        switched_at=now, shown_from=now, shown_until=None
    )
    record(
        challenge.pk,
        AuditKind.SCORING,
        by=None,
        before={"shown_version": challenge.shown.number},
        after={"shown_version": config.number},
    )
    body: JsonObject = {"version": config.number, "before": challenge.shown.number}
    record_event(challenge.pk, EventKind.SHOWN, body)


def _unfinished(config: ScoringConfig) -> QuerySet[ScoringConfig]:
    """The config, until a worker has switched the board to it."""
    return ScoringConfig.objects.filter(pk=config.pk, rescore_finished_at__isnull=True)


def _finished(config: ScoringConfig) -> AttemptQuerySet:
    """The attempts of the challenge that have an outcome, by id."""
    return Attempt.objects.filter(status__in=FINISHED, challenge=config.challenge_id).order_by("pk")


def _stragglers(config: ScoringConfig) -> AttemptQuerySet:
    """Attempts that the slices may have missed, because they ended after the slices were cut."""
    since = cast("datetime", config.rescore_started_at) - OVERLAP
    return _finished(config).filter(finished_at__gte=since)


def _unscored(config: ScoringConfig, attempts: AttemptQuerySet) -> Iterator[list[AttemptToScore]]:
    """Yield the attempts that have no score under the config yet, in lists of up to `PIECE`.

    This reads all ids, looks for their scores in an index, and loads only attempts without a score.
    One statement with an anti-join is risky: before the database has statistics of the new scores,
    it expects none and joins them in quadratic time.
    """
    ids = list(attempts.values_list("pk", flat=True))
    for start in range(0, len(ids), PIECE):
        piece = ids[start : start + PIECE]
        scores = Score.objects.filter(config=config, attempt__in=piece)
        missing = set(piece).difference(scores.values_list("attempt_id", flat=True))
        if missing and (rest := attempts_to_score(attempts.filter(pk__in=missing))):
            yield rest
