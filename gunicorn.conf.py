"""Gunicorn's configuration. Gunicorn reads this file in the folder in which it is started."""

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from leaderboard.environment.reading import SettingError, read_variables
from leaderboard.operating.logs import logging_config

worker_class = "leaderboard.http.patient_worker.PatientWorker"
workers = int(os.environ.get("WEB_CONCURRENCY") or "2")
# More serve health checks and trials of plugins: leaderboard/http/lanes.py.
threads = 8
bind = f"{os.environ.get('HOST') or '127.0.0.1'}:{os.environ.get('PORT') or '8000'}"
# A worker writes its heartbeat into a file; on a slow disk, it would look like a hanging worker.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108
max_requests = 10_000
max_requests_jitter = 1_000
# Nothing uses the socket by which other processes of the same user can control gunicorn.
control_socket_disable = True
# The prefix comes from PUBLIC_URL alone: a proxy may pass on a `SCRIPT_NAME` that a client sent.
forwarder_headers = ""
# The product itself logs a line for each request.
accesslog = None
try:
    log_level = read_variables(os.environ).LOG_LEVEL
except SettingError as error:
    sys.exit(f"error: {error}")
logconfig_dict = logging_config(log_level.upper(), readable=sys.stderr.isatty())


def on_starting(server: Any) -> None:
    """Load the product once, before the first worker is forked.

    Workers then start at once and share its memory; `preload_app` would load it too early, when the
    settings cannot know the number of processes that `gunicorn -w 4` asks for.
    """
    from django.core.exceptions import ImproperlyConfigured

    os.environ["WEB_CONCURRENCY"] = str(server.cfg.workers)
    try:
        import leaderboard.wsgi  # noqa: F401
    except ImproperlyConfigured as error:
        sys.exit(f"error: {error}")
    from leaderboard.operating.heap import keep_what_is_loaded

    keep_what_is_loaded()


def pre_fork(server: Any, worker: Any) -> None:
    """Close what a worker must not share with its parent."""
    from django.core.cache import caches
    from django.db import connections

    connections.close_all()
    caches.close_all()


def post_worker_init(worker: Any) -> None:
    """Search for plugins now, so that the page that lists them need not wait."""
    from leaderboard.services.plugins.catalogue import search_again

    search_again()
