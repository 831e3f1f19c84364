"""The Celery application: `celery -A leaderboard.celery worker` and `… beat`."""

import os
import threading
from typing import Any

from celery import Celery, bootsteps, signals
from celery.apps.worker import Worker

from leaderboard import outages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks(["leaderboard"])

LEAVE_WITHIN = 10.0
"""Seconds that the pool may take to end itself, when the worker has ended already."""

_stop = threading.Event()


@signals.worker_shutdown.connect
def _leave_for_certain(sender: Any, **kwargs: Any) -> None:
    """Once in a while the pool's finaliser waits for a lock that one of its processes took along.

    By then every attempt is saved or waits in its row, so there is nothing to wait for. The thread
    starts here and not in `atexit`, where Python 3.12 starts none.
    """
    if isinstance(sender, Worker):  # the one of `up` is a thread of the server
        timer = threading.Timer(LEAVE_WITHIN, os._exit, [0])
        timer.daemon = True
        timer.start()


class Leave(bootsteps.StartStopStep):
    """A cold shutdown, which waits for no task, sends no signal `worker_shutdown`."""

    def terminate(self, parent: Any) -> None:
        _leave_for_certain(parent)


app.steps["worker"].add(Leave)


@signals.setup_logging.connect
def _log_as_everywhere(**kwargs: Any) -> None:
    """Keep Celery from a set-up of its own, which would silence what is below a warning."""


@signals.after_task_publish.connect
def _broker_answers(**kwargs: Any) -> None:
    outages.broker.ended()


class Sweeper(bootsteps.StartStopStep):
    """Each worker sweeps as well, and says at its start what its isolation enforces.

    It starts after the pool, so that no process of that inherits the thread's state, and before
    the broker is asked: a worker that waits for it scores by itself.
    """

    requires = ("celery.worker.components:Pool",)

    def include_if(self, parent: Any) -> bool:
        return isinstance(parent, Worker)  # the one of `up` has a sweeper beside it

    def start(self, parent: Any) -> None:
        threading.Thread(target=_sweep, name="sweeper", daemon=True).start()


app.steps["worker"].add(Sweeper)


@signals.worker_shutdown.connect
def _stop_sweeping(**kwargs: Any) -> None:
    _stop.set()


@signals.worker_ready.connect
@signals.worker_process_init.connect
def _store_counters(**kwargs: Any) -> None:
    from leaderboard.services.operations.tallies import keep_flushing

    keep_flushing()


@signals.worker_process_shutdown.connect
def _end_process(**kwargs: Any) -> None:
    """A process of the pool is left without atexit."""
    from leaderboard.services.operations.tallies import flush
    from leaderboard.services.plugins.sandboxes import close_sandboxes

    close_sandboxes()
    flush()


def _sweep() -> None:
    from django.conf import settings

    from leaderboard.services.scoring.sweeper import keep_sweeping, tell_isolation

    tell_isolation()
    keep_sweeping(_stop, settings.SWEEP_SECONDS)
