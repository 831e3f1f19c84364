"""The Celery application: `celery -A leaderboard.celery worker` and `… beat`."""

import os
import threading
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

app = Celery("leaderboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()
app.autodiscover_tasks(["leaderboard"])

_stop = threading.Event()


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
