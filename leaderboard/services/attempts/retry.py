"""What an organiser may do with an attempt: retry it, withdraw it, restore it."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, MetricRun, ProgramRun, Score, User
from leaderboard.operating.request_ids import current_request_id
from leaderboard.services.attempts.waiting import QueuePlaces
from leaderboard.services.board.boards import CountsIn
from leaderboard.services.board.editions import forget_editions
from leaderboard.services.board.standings.counting import recount_participants
from leaderboard.services.competition.audit import record_attempt
from leaderboard.services.competition.decisions import DecisionKind, decide
from leaderboard.services.competition.quotas.refunds import give_back_waiting
from leaderboard.services.competition.schedule.choosing import stays_chosen
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.evaluate import forget_failed_runs
from leaderboard.services.events.record import EventKind, record_event
from leaderboard.services.transactions import retried

LONGEST_REASON = 300
"""The most characters of a reason."""
FINISHED = (Attempt.Status.SCORED, Attempt.Status.FAILED)


def retry_attempt(attempt: Attempt, *, by: User | None = None) -> None:
    """Queue an attempt with a failure again, under the config it was submitted with.

    Raises ServiceError (`conflict`) if nothing has failed.
    """
    retried(partial(_retry, attempt, by))
    queue.notify_of_attempt(attempt.pk)
    attempt.refresh_from_db()


def failed_scores(attempt: Attempt, challenge: Challenge) -> list[Score]:
    """The scores for which the scorer or a metric failed, on all boards that matter.

    These are the attempt's own config and every board that is shown or being built.
    """
    runs = MetricRun.objects.filter(evaluation=attempt.pk).exclude(error_code="")
    broken = set(runs.values_list("config", flat=True))
    counting = Q(config=attempt.scoring_config_id) | Q(config__number__gte=challenge.shown.number)
    scores = Score.objects.filter(counting, attempt=attempt)
    return [score for score in scores if score.has_failed or score.config_id in broken]


def withdraw_attempt(attempt: Attempt, *, reason: str, by: User | None = None) -> None:
    """Take an attempt off the board. It stays readable, with the reason."""
    if not reason.strip():
        raise invalid("reason", _("must say why the attempt is withdrawn"), got=reason)
    withdraw_own_attempt(attempt, reason=reason, by=by)


def withdraw_own_attempt(attempt: Attempt, *, reason: str = "", by: User | None = None) -> None:
    """Take an attempt off the board for its participant, who need not say why.

    Raises ServiceError for a reason that is too long, so that none is cut.
    """
    reason = reason.strip()
    if len(reason) > LONGEST_REASON:
        text = _("must have at most {most} characters; got {count}")
        raise invalid("reason", text.format(most=LONGEST_REASON, count=len(reason)))
    retried(partial(_set_withdrawn, attempt, timezone.now(), reason, by))
    attempt.refresh_from_db()


def restore_attempt(attempt: Attempt, *, by: User | None = None) -> None:
    """Put a withdrawn attempt back. It remains chosen if its phase still allows that."""
    retried(partial(_set_withdrawn, attempt, None, "", by))
    attempt.refresh_from_db()


def _retry(attempt: Attempt, by: User | None) -> None:
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    long = () if attempt.instance_count is None else (0,)
    (due_at,) = QueuePlaces(attempt.tenant_id).due_times([attempt.participant_id], long=long)
    finished = Attempt.objects.filter(pk=attempt.pk, status__in=FINISHED).update(
        status=Attempt.Status.QUEUED,
        deliveries=0,
        finished_at=None,
        priority=Attempt.Priority.FRESH,
        queued_at=Now(),
        retried_at=Now(),
        due_at=due_at,
        request_id=current_request_id(),
    )
    failed = failed_scores(attempt, challenge)
    if not finished or not failed:
        raise ServiceError("conflict", _("Only an attempt that has failed can be tried again."))
    before, after = {"status": Attempt.Status.FAILED}, {"status": Attempt.Status.QUEUED}
    record_attempt(attempt, before, after, by=by)
    Score.objects.filter(pk__in=[score.pk for score in failed]).delete()
    forget_editions(failed)
    forget_failed_runs(attempt.pk)
    ProgramRun.objects.filter(attempt=attempt).exclude(error_code="").delete()
    _recount(challenge, attempt)
    record_event(
        challenge.pk,
        EventKind.RETRIED,
        {},
        attempt=attempt.pk,
        participant=attempt.participant_id,
    )


def _set_withdrawn(
    attempt: Attempt, moment: datetime | None, reason: str, by: User | None = None
) -> None:
    challenge = Challenge.objects.lock_challenge(attempt.challenge_id)
    waiting = Attempt.objects.filter(pk=attempt.pk).exclude(status__in=FINISHED)
    if moment is not None and list(waiting.select_for_update().values_list("pk")):
        give_back_waiting([attempt.pk])
    stored = Attempt.objects.filter(pk=attempt.pk)
    if moment is None and not stays_chosen(attempt):
        stored.update(chosen_at=None)
    before = stored.values("withdrawn_at", "withdrawn_reason").get()
    after = {"withdrawn_at": moment, "withdrawn_reason": reason}
    record_attempt(attempt, before, after, by=by)
    if before["withdrawn_at"] != moment:
        kind = DecisionKind.RESTORED if moment is None else DecisionKind.WITHDRAWN
        decide(kind, attempt=attempt, by=by, reason=reason)
    stored.update(**after)
    _recount(challenge, attempt)
    record_event(
        challenge.pk,
        EventKind.RESTORED if moment is None else EventKind.WITHDRAWN,
        {},
        attempt=attempt.pk,
        participant=attempt.participant_id,
        secret={"reason": reason} if reason else None,
    )


def _recount(challenge: Challenge, attempt: Attempt) -> None:
    """Derive the participant's standing again on every board that is shown or being built.

    The attempt is read again, because its team may have become a part of another one.
    """
    names = ("participant", "phase", "submitted_at")
    participant, phase, submitted_at = Attempt.objects.values_list(*names).get(pk=attempt.pk)
    # An attempt of a release before phases has none, and counts in the first one.
    only = None if phase is None else CountsIn(phase, submitted_at)
    recount_participants(challenge, [participant], only)
