"""Gunicorn's configuration. Gunicorn reads this file in the folder in which it is started."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from leaderboard.logs import logging_config

worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY") or "2")
threads = 8
bind = f"{os.environ.get('HOST') or '127.0.0.1'}:{os.environ.get('PORT') or '8000'}"
# A worker writes its heartbeat into a file; on a slow disk, it would look like a hanging worker.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108
max_requests = 10_000
max_requests_jitter = 1_000
# Nothing uses the socket by which other processes of the same user can control gunicorn.
control_socket_disable = True
# The product itself logs a line for each request.
accesslog = None
logconfig_dict = logging_config(
    (os.environ.get("LOG_LEVEL") or "info").upper(), readable=sys.stderr.isatty()
)


def on_starting(server: Any) -> None:
    """Tell the settings the real number of processes, also after `gunicorn -w 4`."""
    os.environ["WEB_CONCURRENCY"] = str(server.cfg.workers)


def post_worker_init(worker: Any) -> None:
    """Search for plugins now, so that the page that lists them need not wait."""
    from leaderboard.heap import keep_what_is_loaded
    from leaderboard.services.plugins.catalogue import search_again

    keep_what_is_loaded()
    search_again()
