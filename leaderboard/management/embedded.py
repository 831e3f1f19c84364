"""The product in one process: web server, Celery worker and sweeper.

The broker lives in this process's memory. What it forgets when the process dies, the sweeper
finds again in the attempts' rows.
"""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from types import FrameType
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management.base import CommandError
from django.core.wsgi import get_wsgi_application
from waitress.server import create_server

from leaderboard.services.sandboxes import close_sandboxes
from leaderboard.services.sweeping import sweep

logger = logging.getLogger(__name__)

WEB_THREADS = 8
READY_WITHIN = 60.0


def serve(host: str, port: int, *, when_ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `when_ready` is called with the URL once it answers."""
    server = _bound(host, port)
    url = f"http://{f'[{host}]' if ':' in host else host}:{server.effective_port}"
    worker = _worker()
    threading.Thread(target=worker.start, name="worker", daemon=True).start()
    threading.Thread(target=_announce, args=(url, when_ready), daemon=True).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    try:
        sweep()
        server.run()
    except SystemExit:
        pass
    finally:
        server.close()
        worker.stop()
        close_sandboxes()


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


def _bound(host: str, port: int) -> Any:
    try:
        return create_server(
            get_wsgi_application(),
            host=host,
            port=port,
            threads=WEB_THREADS,
            ident=None,
            max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        )
    except (OSError, socket.gaierror) as error:
        raise CommandError(
            f"cannot listen on {host}:{port}: {error.strerror}. "
            f"Choose another port: PORT={port + 1 if port else 8001} make up"
        ) from None


def _worker() -> Any:
    """A Celery worker that runs in a thread: no signal handlers, no pool of processes."""
    return current_app.WorkController(
        pool="solo",
        concurrency=1,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )


def _announce(url: str, when_ready: Callable[[str], None]) -> None:
    until = time.monotonic() + READY_WITHIN
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:  # noqa: S310 - our own URL
                if answer.status == 200:
                    when_ready(url)
                    return
        except OSError:
            time.sleep(0.05)
