"""Final scores: at the end of a phase, those on private tasks replace those on public ones.

Nothing is computed on private tasks before. When a phase has ended, a new scoring version says so,
and a rescore computes the final scores. Until the rescore is done, readers see the public scores.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models.functions import Now

from leaderboard.models import Attempt, Board, Challenge, Phase, Standing
from leaderboard.models.attempt_indexes import WAITING
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.services.challenges.code_changes import waits_for_decision
from leaderboard.services.challenges.rescores import begin_rescore
from leaderboard.services.challenges.scoring_configs import next_config
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import iso, received_now
from leaderboard.services.competition.schedule import ending
from leaderboard.services.errors import ServiceError
from leaderboard.services.events.record import EventKind, NewEvent, record_events
from leaderboard.services.one_by_one import one_by_one
from leaderboard.services.transactions import retried

logger = logging.getLogger(__name__)


def begin_finals() -> int:
    """Begin to compute the final scores of all phases that have ended; returns of how many.

    A phase has ended when it takes no more attempts and is no longer frozen. It waits for attempts
    that are not scored yet, for a rescore that is running, for an organiser who has to accept
    changed code, and some minutes after a change of its end (`ending`).
    """
    now = received_now()
    challenges = {phase.challenge_id for phase in _ended(now)}
    return sum(one_by_one(lambda challenge: _begun(challenge, now), sorted(challenges)))


def _begun(challenge_id: UUID, now: datetime) -> int:
    """Begin those of one challenge; returns of how many phases.

    It is 0 if the scoring of the challenge is no longer accepted.
    """
    try:
        return retried(partial(_begin, challenge_id, now))
    except ServiceError:
        logger.exception("the final scores of challenge %s cannot be computed", challenge_id)
        return 0


def _ended(now: datetime) -> Iterable[Phase]:
    """The phases whose final scores are due."""
    closed = ending.without_wait().filter(
        final_at=None, closes_at__lte=now, challenge__newest_config__split__isnull=False
    )
    due = closed.exclude(final_part=TaskPart.PUBLIC)
    return [phase for phase in due if phase.has_ended(now) and not phase.is_frozen(now)]


def _begin(challenge_id: UUID, now: datetime) -> int:
    challenge = Challenge.objects.lock_challenge(challenge_id)
    newest = challenge.newest
    ended = [phase for phase in _ended(now) if phase.challenge_id == challenge_id]
    waiting = Attempt.objects.filter(phase__in=ended, status__in=(*WAITING, Attempt.Status.HELD))
    still = set(waiting.values_list("phase", flat=True))
    ended = [phase for phase in ended if phase.pk not in still]
    if newest.parts is None or newest.is_rescoring or not ended:
        return 0
    if waits_for_decision(challenge):
        return 0
    config = newest.copied()
    config.final_parts = {
        **newest.final_parts,
        **{str(phase.pk): str(phase.final_part) for phase in ended},
    }
    for phase in ended:
        _choose_the_best(challenge, phase)
        Phase.objects.filter(pk=phase.pk).update(final_at=Now())
        record(
            challenge.pk,
            AuditKind.PHASE,
            by=None,
            before={"final_at": None},
            after={"final_at": iso(now)},
            named=phase.slug,
            public=True,
        )
    next_config(challenge, config, user=None)
    if challenge.shown_config_id != challenge.newest_config_id:
        begin_rescore(challenge)
    Challenge.objects.bump(challenge.pk)
    logger.info("%s: computing final scores, phases: %d", challenge.slug, len(ended))
    return len(ended)


def _choose_the_best(challenge: Challenge, phase: Phase) -> None:
    """Mark the attempt on the public board as chosen, for each participant who has chosen none.

    Otherwise the attempt with the best private score would count.
    """
    board = Board.objects.of(challenge.shown).get(phase=phase, until=None, is_out_of_ranking=False)
    if board.counting != "chosen":
        return
    boards = Board.objects.of(challenge.shown).filter(phase=phase, until=None)
    standing = Standing.objects.filter(board__in=boards).values("attempt")
    chosen = Attempt.objects.filter(pk__in=standing, chosen_at=None)
    events = [
        NewEvent(EventKind.CHOSEN, {"phase": phase.pk}, pk, participant)
        for pk, participant in chosen.order_by("pk").values_list("pk", "participant")
    ]
    chosen.update(chosen_at=Now())
    record_events(challenge.pk, events)
