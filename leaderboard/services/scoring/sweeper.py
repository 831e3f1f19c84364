"""The sweeper notifies workers again of attempts that wait too long. Several may run at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta

from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.messages import queue
from leaderboard.models import Attempt, RescoreSlice, ScoringConfig
from leaderboard.operating import outages
from leaderboard.operating.request_ids import caused_by
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.board.standings.comparisons import compare_what_waits
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenge_code.packages import delete_unused_packages
from leaderboard.services.challenges.code_changes import sweep_code_changes
from leaderboard.services.challenges.finals import begin_finals
from leaderboard.services.competition.arena.computing import look_after_arenas
from leaderboard.services.competition.mail.decisions import tell_of_later_waiting
from leaderboard.services.competition.schedule.passed_dates import record_passed_dates
from leaderboard.services.events.anchors import publish_anchor
from leaderboard.services.files.unnamed import KEPT, sweep_files
from leaderboard.services.files.uploads import forget_old_uploads
from leaderboard.services.imports import uploads
from leaderboard.services.imports.jobs import work_on_waiting
from leaderboard.services.notices.mailing import mail_notices
from leaderboard.services.notices.reading import forget_old_notices
from leaderboard.services.notices.relay import relay_notices
from leaderboard.services.operations import failing_parts, workers
from leaderboard.services.operations.space import log_little_space
from leaderboard.services.plugins.isolation import publish_isolation
from leaderboard.services.programs.folders import delete_unused
from leaderboard.services.scoring import rescoring, single
from leaderboard.services.scoring.blocked_boards import sweep_blocked_boards
from leaderboard.services.scoring.claims import MAX_DELIVERIES
from leaderboard.services.scoring.failures import begins_outage
from leaderboard.services.scoring.leases import end_impossible_leases, follow_clock
from leaderboard.services.scoring.lost import give_up_lost
from leaderboard.services.scoring.missed_metrics import retry_missed
from leaderboard.services.scoring.rate import forget_delay
from leaderboard.services.standing.rejudging import sweep_verdicts
from leaderboard.services.webhooks.deliver import deliver_waiting

logger = logging.getLogger(__name__)

PATIENCE = timedelta(seconds=5)
"""A queued attempt younger than this has its own notification under way."""
NOTIFICATIONS = 8
SECONDS_TO_LEAVE = 2.0
"""How long a worker that ends waits for each of its threads: the heartbeat would write the worker's
row again."""
WHOLE = "sweep"
"""The name of the whole sweep where failing parts are shown: it failed outside of its parts."""
RELEASE_PATIENCE = timedelta(seconds=15)
"""An evaluation that was released less than this ago has its own notification under way."""


def sweep() -> int:
    """Notify workers of overdue attempts and rescores, and clean up.

    Ends attempts that lost too many workers, and deletes uploads that nobody confirmed. Returns how
    many attempts it found waiting or lost.
    """
    lost = give_up_lost()
    queued = Attempt.objects.queued().filter(
        priority__in=Attempt.Priority.values, queued_at__lt=Now() - PATIENCE
    )
    overdue = Attempt.objects.overdue().filter(deliveries__lt=MAX_DELIVERIES)
    overdue = overdue.exclude(lease_token=None, lease_until__gt=Now() - RELEASE_PATIENCE)
    late = queued[:100].count() + overdue[:100].count()
    if late:
        logger.info("sweeping: at least %d attempts wait", late)
        # While all workers are busy, the notifications that are still unread are enough.
        queue.notify_workers(min(late, NOTIFICATIONS) - queue.backlog())
    for work in parts():
        _by_itself(work)
    return lost + late


def parts() -> tuple[Callable[[], object], ...]:
    """The parts of a sweep that can fail without stopping the others."""
    return (
        sweep_code_changes,
        fill_boards,
        compare_what_waits,
        sweep_verdicts,
        look_after_certainty,
        look_after_arenas,
        begin_finals,
        sweep_blocked_boards,
        end_impossible_leases,
        retry_missed,
        tell_of_later_waiting,
        _sweep_rescores,
        _sweep_uploads,
        _sweep_files,
        forget_old_uploads,
        work_on_waiting,
        publish_anchor,
        record_passed_dates,
        relay_notices,
        mail_notices,
        forget_old_notices,
    )


def _sweep_files() -> None:
    if sweep_files():
        delete_unused(timezone.now() - KEPT)
        delete_unused_packages(timezone.now() - KEPT)


def keep_sweeping(stop: threading.Event, seconds: float) -> None:
    """Sweep at once and then periodically until told to stop.

    No failure stops the sweeper, neither an unavailable database nor anything else. A thread of its
    own shows that the worker is alive, because a round may take minutes.
    """
    ended = threading.Event()
    showing = threading.Thread(
        target=_keep_showing, args=(ended, seconds), name="heartbeat", daemon=True
    )
    showing.start()
    # A receiver may take ten seconds for each message, which must hold up nothing else.
    delivering = threading.Thread(
        target=_keep_delivering, args=(ended, seconds), name="webhooks", daemon=True
    )
    delivering.start()
    while True:
        try:
            sweep()
            if (queue.is_away() or outages.broker.goes_on) and not queue.answers():
                score_without_broker(stop)
            log_little_space()
            failing_parts.worked(WHOLE)
        except Exception as error:
            if not begins_outage(error):
                failing_parts.failed(WHOLE, error)
                logger.exception("sweeping failed; trying again in %s s", seconds)
        finally:
            connection.close()
        if stop.wait(seconds):
            break
    ended.set()
    for thread in (showing, delivering):
        thread.join(SECONDS_TO_LEAVE)
    _leave()


def score_without_broker(stop: threading.Event) -> None:
    """Score waiting attempts in this thread while the broker accepts no messages."""
    while not stop.is_set() and queue.is_away() and single.score_waiting():
        pass
    for config in _unfinished_rescores():
        if not stop.is_set() and queue.is_away():
            rescoring.work_on(config.pk)


def _keep_showing(ended: threading.Event, seconds: float) -> None:
    """Record every few seconds that this worker is alive."""
    while True:
        try:
            follow_clock()
            if workers.record_alive():
                forget_delay()
            outages.disk.ended()
        except Exception as error:
            if not begins_outage(error):
                logger.exception("this worker could not be recorded as alive")
        finally:
            connection.close()
        if ended.wait(seconds):
            return


def _keep_delivering(ended: threading.Event, seconds: float) -> None:
    """Send the messages of webhooks, every few seconds."""
    while True:
        try:
            deliver_waiting()
        except Exception as error:
            if not begins_outage(error):
                logger.exception("webhooks could not be called; trying again in %s s", seconds)
        finally:
            connection.close()
        if ended.wait(seconds):
            return


def _leave() -> None:
    """Delete the row of this worker, which ends normally; rows of lost workers expire."""
    try:
        workers.remove_own_row()
    except DatabaseError:
        logger.info("the database is unavailable while this worker ends")
    finally:
        connection.close()


def report_isolation() -> None:
    """Find out what this worker's sandbox enforces when the worker starts, and publish it."""
    try:
        publish_isolation()
    except Exception:  # the worker starts even without the report
        logger.exception("the isolation of the sandbox could not be determined")


def _by_itself(work: Callable[[], object]) -> None:
    """Do one part of a sweep. Its failure stops no other part, unless it is an outage for all."""
    try:
        work()
    except Exception as error:
        if outages.database_is_away(error):
            raise
        if not begins_outage(error):
            failing_parts.failed(work.__name__, error)
            logger.exception("sweeping: %s failed", work.__name__)
    else:
        failing_parts.worked(work.__name__)


def _unfinished_rescores() -> QuerySet[ScoringConfig]:
    return ScoringConfig.objects.rescoring()


def _sweep_rescores() -> None:
    for config in _unfinished_rescores():
        if RescoreSlice.objects.filter(config=config).waiting().exists():
            queue.notify_of_rescore(config.pk)
        elif not RescoreSlice.objects.filter(config=config, done=False).exists():
            with caused_by(config.rescore_request_id):
                rescoring.finish_if_done(config.pk)


def _sweep_uploads() -> None:
    try:
        uploads.forget_old()
    except OSError as error:
        logger.warning("old uploads could not be deleted: %s", error)
