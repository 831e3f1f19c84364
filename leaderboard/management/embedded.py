"""The product in one process: web server, Celery worker, further scoring slots and sweeper.

The broker is in this process's memory. If the process is killed and messages get lost, the sweeper
finds the waiting attempts in the database.
"""

from __future__ import annotations

import http.client
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management.base import CommandError
from django.core.wsgi import get_wsgi_application

from leaderboard.http.form_encodings import reading_utf_8
from leaderboard.http.head_requests import without_bodies
from leaderboard.http.prefix import below_prefix
from leaderboard.management.slots import watch_worker, work_beside
from leaderboard.management.slow_clients import limited_server
from leaderboard.messages import queue
from leaderboard.operating.heap import keep_what_is_loaded
from leaderboard.operating.preload import load_pages
from leaderboard.services.operations import tallies
from leaderboard.services.scoring.sweeper import keep_sweeping, report_isolation

logger = logging.getLogger(__name__)

LOOPBACK = ("localhost", "127.0.0.1", "::1")
READY_WITHIN = 60.0
FINISH_WITHIN = 3.0
"""How long an attempt in progress may take when the server is told to stop."""


def bind(host: str, port: int) -> Any:
    """A server that listens and does not answer yet. Raises CommandError if it cannot listen."""
    try:
        server = limited_server(
            without_bodies(below_prefix(reading_utf_8(get_wsgi_application()))),
            host=host,
            port=port,
            ident=None,
            max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
            # Otherwise waitress removes X-Forwarded-For and X-Forwarded-Proto of each request.
            clear_untrusted_proxy_headers=not settings.TRUSTED_PROXIES,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(
            f"cannot listen on {host}:{port}: {reason}. "
            f"Choose another port: PORT={port + 1 if 0 < port < 65535 else 8001} make up"
        ) from None
    if host not in LOOPBACK and not settings.TRUSTED_PROXIES:
        logger.warning("other hosts can reach %s: put a reverse proxy with TLS before it", host)
    return server


def serve(server: Any, *, when_ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM. when_ready: called with the URL once the server answers."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    tallies.keep_flushing()
    stop = threading.Event()
    watch_worker()
    working = [_thread(_work, stop)]
    working += [_thread(work_beside, number, stop) for number in range(1, settings.SCORING_SLOTS)]
    _thread(_sweep, stop)
    _thread(load_pages)
    _thread(_announce, *_address(server), when_ready)
    try:
        server.run()
    except SystemExit:  # the signal arrived before the server's loop, which would catch this
        pass
    finally:
        stop.set()
        server.close()
        current_app.control.shutdown()
        until = time.monotonic() + FINISH_WITHIN
        for thread in working:
            thread.join(max(0.0, until - time.monotonic()))


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


def _thread(work: Callable[..., None], *args: Any) -> threading.Thread:
    """Start a daemon thread, which does not keep the process alive."""
    thread = threading.Thread(target=work, args=args, name=work.__name__.strip("_"), daemon=True)
    thread.start()
    return thread


def _work(stop: threading.Event) -> None:
    """Run a Celery worker in this thread, without signal handlers or a pool of processes.

    It claims nothing before its sandbox has started: an attempt that waited for this would be one
    more lost claim each time the server is killed soon after its start.
    """
    report_isolation()
    while not stop.is_set():
        worker = current_app.WorkController(
            pool="solo",
            concurrency=1,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        worker.start()
        if not stop.wait(1):
            logger.error("the worker ended with an error; another one starts")


def _sweep(stop: threading.Event) -> None:
    queue.notify_workers()
    keep_sweeping(stop, settings.SWEEP_SECONDS)


def _address(server: Any) -> tuple[str, int]:
    """The host and port at which the server listens; the first, if the name has several."""
    listens = getattr(server, "effective_listen", None)
    host, port = listens[0] if listens else (server.effective_host, server.effective_port)
    return str(host), int(port)


def _announce(host: str, port: int, when_ready: Callable[[str], None]) -> None:
    until = time.monotonic() + READY_WITHIN
    while not _answers(host, port) and time.monotonic() < until:
        time.sleep(0.02)
    keep_what_is_loaded()
    when_ready(f"http://{f'[{host}]' if ':' in host else host}:{port}")


def _answers(host: str, port: int) -> bool:
    """Whether the server answers, with any status, as ALLOWED_HOSTS may lack this host's name."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status > 0
    except OSError:
        return False
    finally:
        connection.close()
