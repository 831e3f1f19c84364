"""Further scoring slots of the embedded server: threads that score while its worker is busy.

The worker takes each message. If a message arrives while the worker is busy, a slot scores the next
short attempts; while the worker is idle, the slot is idle too. Only the worker handles evaluations
and rescores, which have messages of their own.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from celery import signals
from django.db import close_old_connections

from leaderboard.messages import memory_broker
from leaderboard.services.plugins.sandboxes import use_slot
from leaderboard.services.scoring.failures import begins_outage
from leaderboard.services.scoring.single import score_short

logger = logging.getLogger(__name__)

SECONDS_TO_BEGIN = 0.02
"""The time after a message in which an idle worker begins with it."""
SECONDS_TO_CLAIM = 0.003
"""The time after that in which the worker claims its attempt, so that the others are for slots."""
SECONDS_PER_LOOK = 1.0
"""How often a slot looks for attempts while the worker is busy and no message arrives."""
SECONDS_AFTER_REFUSAL = 5.0
"""How long a slot waits after an error, or if the sandbox cannot work on this host."""

_busy = threading.Event()


def watch_worker() -> None:
    """Begin to track whether the worker of this process is busy."""
    signals.task_prerun.connect(_begins, weak=False, dispatch_uid="slots")
    signals.task_postrun.connect(_ends, weak=False, dispatch_uid="slots")


def work_beside(number: int, stop: threading.Event) -> None:
    """Run the slot with this number (from 1) until the server stops."""
    use_slot(number)
    messages = memory_broker.sent()
    while not stop.is_set():
        memory_broker.wait(messages, SECONDS_PER_LOOK)
        messages = memory_broker.sent()
        if _busy.wait(SECONDS_TO_BEGIN):
            time.sleep(SECONDS_TO_CLAIM)
            _score(stop)


def _score(stop: threading.Event) -> None:
    """Score waiting short attempts. Errors do not end the slot; leases of its claims expire."""
    try:
        score_short()
    except Exception as error:  # no error may end the slot
        if not begins_outage(error):
            logger.exception("a scoring slot continues after an error")
        stop.wait(SECONDS_AFTER_REFUSAL)
    finally:
        close_old_connections()


def _begins(**kwargs: Any) -> None:
    _busy.set()


def _ends(**kwargs: Any) -> None:
    _busy.clear()
