"""A worker's application whose process hangs when it ends, as the pool's once did.

`celery --app tests.helpers.leaving worker`. It searches for no attempts, so it needs no database.
"""

import atexit
import os
import threading
from pathlib import Path
from typing import Any

from celery import signals

atexit.register(threading.Event().wait)  # the first handler to be registered runs last

from leaderboard import celery  # noqa: E402

celery.LEAVE_WITHIN = 0.5
celery._sweep = lambda: None
app = celery.app


@signals.worker_ready.connect
def _tell(**kwargs: Any) -> None:
    Path(os.environ["READY"]).touch()
