"""The Celery application: `celery -A leaderboard.celery worker` and `… beat`."""

import math
import os
import sys
import threading
import time
from typing import Any

from celery import Celery, bootsteps, signals
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from leaderboard.database.session_limits import SECONDS_OF_WORKERS, wait_for_locks
from leaderboard.operating import outages
from leaderboard.operating.heap import collect_less_often

collect_less_often()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
# Celery ignores what Django's checks find, and they load all pages: half of a worker's start and a
# quarter of its memory.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

try:
    settings.INSTALLED_APPS  # noqa: B018 - reads all settings
except ImproperlyConfigured as error:
    sys.exit(f"error: {error}")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks(["leaderboard"])

# Celery would close every connection after each task; `_close_broken_connections` closes fewer.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize

LEAVE_WITHIN = 10.0
"""The seconds in which the pool must end after the worker has ended."""

STOP_SWEEPING_WITHIN = 3.0
"""The seconds that the end of a worker waits for its sweeper, which may be in a long round."""

_stop = threading.Event()
_sweepers: list[threading.Thread] = []


def _is_program(worker: Any) -> bool:
    """Whether a worker is a process of its own. The worker of `up` is a thread of the server."""
    # Imported here, because every command would start a fifth of a second later.
    from celery.apps.worker import Worker

    return isinstance(worker, Worker)


@signals.worker_shutdown.connect
def _leave_for_certain(sender: Any, **kwargs: Any) -> None:
    """End the process after LEAVE_WITHIN, even if the pool's finaliser hangs.

    Sometimes the finaliser waits for a lock that an ended process of the pool held. By then every
    attempt is saved or waits in its row, so there is nothing to wait for. The thread starts here
    and not in `atexit`, where Python 3.12 starts no threads.
    """
    if _is_program(sender):
        timer = threading.Timer(LEAVE_WITHIN, os._exit, [0])
        timer.daemon = True
        timer.start()


class Leave(bootsteps.StartStopStep):
    """Ends the process also in a cold shutdown, which does not send `worker_shutdown`."""

    def terminate(self, parent: Any) -> None:
        _leave_for_certain(parent)


app.steps["worker"].add(Leave)


@signals.setup_logging.connect
def _log_as_everywhere(**kwargs: Any) -> None:
    """Keep Celery from configuring logging, which would drop all lines below a warning."""


ASKED_AFTER = 1.0
"""The seconds without a task after which a connection to the database is asked before its use."""

_last_task_ended = -math.inf


@signals.task_prerun.connect
def _close_broken_connections(sender: Any, **kwargs: Any) -> None:
    """Let a task use the connections of the task before it, unless they are broken or old.

    Connecting and preparing statements would take a quarter of the time. Celery itself closes all
    of them, because Django does not always notice that a connection is broken.
    """
    from django.db import connections

    if sender.request.is_eager:  # it runs in a transaction of its caller
        return
    is_asked = time.monotonic() - _last_task_ended > ASKED_AFTER
    for connection in connections.all(initialized_only=True):
        connection.close_if_unusable_or_obsolete()
        if is_asked and connection.connection is not None and not connection.is_usable():
            connection.close()


@signals.task_postrun.connect
def _store_end(**kwargs: Any) -> None:
    global _last_task_ended
    _last_task_ended = time.monotonic()


@signals.after_task_publish.connect
def _broker_answers(**kwargs: Any) -> None:
    outages.broker.ended()


class Sweeper(bootsteps.StartStopStep):
    """A sweeper in each worker, which also publishes at the start what the isolation enforces.

    It starts after the pool, so that no process of the pool inherits the thread's state, and before
    the connection to the broker, so that a worker that waits for the broker scores by itself.
    """

    requires = ("celery.worker.components:Pool",)

    def include_if(self, parent: Any) -> bool:
        return _is_program(parent)  # `up` starts a sweeper itself

    def start(self, parent: Any) -> None:
        sweeper = threading.Thread(target=_sweep, name="sweeper", daemon=True)
        sweeper.start()
        _sweepers.append(sweeper)


app.steps["worker"].add(Sweeper)


@signals.worker_shutdown.connect
def _stop_sweeping(**kwargs: Any) -> None:
    """Let the sweeper delete the row of this worker, which would otherwise count as alive for half
    a minute: a restore would have to wait."""
    _stop.set()
    for sweeper in _sweepers:
        sweeper.join(STOP_SWEEPING_WITHIN)


@signals.worker_init.connect
@signals.worker_process_init.connect
def _limit_waiting(**kwargs: Any) -> None:
    """Let no lock of one board's rows hold up the scoring of the others for long."""
    wait_for_locks(SECONDS_OF_WORKERS)


@signals.worker_ready.connect
@signals.worker_process_init.connect
def _store_counters(**kwargs: Any) -> None:
    from leaderboard.services.operations.tallies import keep_flushing

    keep_flushing()


@signals.worker_process_shutdown.connect
def _end_process(**kwargs: Any) -> None:
    """Clean up a process of the pool, which ends without running `atexit` functions."""
    from leaderboard.services.operations.tallies import flush
    from leaderboard.services.plugins.sandboxes import close_sandboxes

    close_sandboxes()
    flush()


def _sweep() -> None:
    from leaderboard.services.scoring.sweeper import keep_sweeping, report_isolation

    report_isolation()
    keep_sweeping(_stop, settings.SWEEP_SECONDS)
