"""The Celery application: `celery -A leaderboard.celery worker` and `… beat`."""

import atexit
import os
import threading
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks(["leaderboard"])

LEAVE_WITHIN = 10.0
"""Seconds that the pool may take to end itself, when the worker has ended already."""

_stop = threading.Event()


@signals.celeryd_init.connect
def _leave_for_certain(**kwargs: Any) -> None:
    """Once in a while the pool's finaliser waits for a lock that one of its processes took along.

    By then every attempt is saved or waits in its row, so there is nothing to wait for.
    """
    timer = threading.Timer(LEAVE_WITHIN, os._exit, [0])
    timer.daemon = True
    atexit.register(timer.start)


@signals.worker_ready.connect
def _start_sweeping(**kwargs: Any) -> None:
    """Each worker sweeps as well, and says at its start what its isolation enforces."""
    threading.Thread(target=_sweep, name="sweeper", daemon=True).start()


@signals.worker_shutdown.connect
def _stop_sweeping(**kwargs: Any) -> None:
    _stop.set()


@signals.worker_process_shutdown.connect
def _close_sandboxes(**kwargs: Any) -> None:
    from leaderboard.services.sandboxes import close_sandboxes

    close_sandboxes()


def _sweep() -> None:
    from django.conf import settings

    from leaderboard.services.sweeping import keep_sweeping, tell_isolation

    tell_isolation()
    keep_sweeping(_stop, settings.SWEEP_SECONDS)
