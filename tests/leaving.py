"""The worker's application for a test: the end of its process hangs, as the pool's once did.

`celery --app tests.leaving worker`. It looks for no attempts, so it needs no database.
"""

import atexit
import os
import threading
from pathlib import Path
from typing import Any

from celery import signals

atexit.register(threading.Event().wait)  # the first to be registered is the last to run

from leaderboard import celery  # noqa: E402

celery.LEAVE_WITHIN = 0.5
celery._sweep = lambda: None
app = celery.app


@signals.worker_ready.connect
def _tell(**kwargs: Any) -> None:
    Path(os.environ["READY"]).touch()
