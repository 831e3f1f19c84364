"""Sends mail in background threads of the web process.

A request that sent mail itself would take longer, and so reveal which addresses have an account.
Mail with keys is lost if the process is killed: Redis or a table would have to contain the keys.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connections

THREADS: Final = 2

logger = logging.getLogger(__name__)


def send_soon(message: EmailMessage) -> None:
    """Send the message in another thread; a failure is logged."""
    run_soon(message.send)


def run_soon(work: Callable[[], object]) -> None:
    """Run a function that sends mail in another thread; a failure is logged.

    So a request takes the same time whether it sends mail or not, and the time does not reveal
    which addresses have an account. If the process is killed, waiting messages are lost.
    """
    if settings.MAIL_IN_BACKGROUND:
        _threads().submit(_run_apart, work)
    else:
        _run(work)


@cache
def _threads() -> ThreadPoolExecutor:
    """The threads. They start with the first message, after the server has forked."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="mail")


def _run_apart(work: Callable[[], object]) -> None:
    try:
        _run(work)
    finally:
        connections.close_all()


def _run(work: Callable[[], object]) -> None:
    try:
        work()
    except Exception as error:  # what the mail reports is done, whatever the backend raises
        logger.warning("a mail could not be sent", extra={"error": str(error)[:200]})
