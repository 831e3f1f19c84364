"""Further scoring slots of the embedded server: threads that score while its worker is busy.

The worker takes each message. A slot beside it takes the next short attempts when a message comes
and the worker still has something in hand; while the worker has nothing to do, so has the slot.
Evaluations and rescores, which have messages of their own, are the worker's alone.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from celery import signals
from django.db import DatabaseError, close_old_connections

from leaderboard import broker, outages
from leaderboard.sandbox import SandboxError
from leaderboard.services.plugins.sandboxes import use_slot
from leaderboard.services.scoring.single import score_short

logger = logging.getLogger(__name__)

SECONDS_TO_BEGIN = 0.02
"""So long after a message the worker has begun with it, if it had nothing else to do."""
SECONDS_TO_CLAIM = 0.003
"""So long after that it has its attempt, and whatever still waits is for others."""
SECONDS_PER_LOOK = 1.0
"""While the worker is busy and no message comes."""
SECONDS_AFTER_REFUSAL = 5.0
"""Until the slot tries again after an error, or when the sandbox cannot work here."""

_busy = threading.Event()


def watch_worker() -> None:
    """Know from now on whether the worker of this process has something in hand."""
    signals.task_prerun.connect(_begins, weak=False, dispatch_uid="slots")
    signals.task_postrun.connect(_ends, weak=False, dispatch_uid="slots")


def work_beside(number: int, stop: threading.Event) -> None:
    """Be the slot of this number, from 1 on, until the server stops."""
    use_slot(number)
    seen = broker.sent()
    while not stop.is_set():
        broker.wait(seen, SECONDS_PER_LOOK)
        seen = broker.sent()
        if _busy.wait(SECONDS_TO_BEGIN):
            time.sleep(SECONDS_TO_CLAIM)
            _score(stop)


def _score(stop: threading.Event) -> None:
    """Errors do not end the slot; what it had claimed comes back when the lease runs out."""
    try:
        score_short()
    except SandboxError as error:
        logger.warning("nothing can be scored at the moment: %s", error)
        stop.wait(SECONDS_AFTER_REFUSAL)
    except Exception as error:
        if isinstance(error, DatabaseError) and outages.database_is_away(error):
            outages.database.began(error)
        else:
            logger.exception("a scoring slot goes on after an error")
        stop.wait(SECONDS_AFTER_REFUSAL)
    finally:
        close_old_connections()


def _begins(**kwargs: Any) -> None:
    _busy.set()


def _ends(**kwargs: Any) -> None:
    _busy.clear()
