"""Notifying workers: a Celery message that says an attempt is waiting.

The attempt row is the queue, so a message may be lost: the sweeper notifies workers again. Sending
one therefore never raises and never waits longer than about a second. In a burst of attempts there
are fewer messages than attempts (docs/decisions/0013).
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from celery import current_app
from django.conf import settings

from leaderboard.operating import outages

logger = logging.getLogger(__name__)

SCORE_ATTEMPT = "leaderboard.tasks.score_attempt"
SCORE_WAITING = "leaderboard.tasks.score_waiting"
RESCORE = "leaderboard.tasks.rescore"
IMPORT = "leaderboard.tasks.import_file"

PAUSE_SECONDS = 5.0
"""How long no message is sent after the broker did not answer, so that nothing waits for it."""

PROBE = "podium:probe"
"""The key that is written to a broker in Redis to see whether it accepts messages."""

SECONDS_OF_BURST = 0.05
"""Two attempts within this time are a burst: before the second, a process asks the broker how many
messages are unread."""
MANY_UNREAD = 8
"""If so many messages are unread, the next one asks a worker to score all waiting attempts."""
ENOUGH_UNREAD = 24
"""If so many messages are unread, a single attempt needs no other."""

_unsent: list[Callable[[], None]] = []
_silent_until = 0.0
_is_away = False
_last_notified = -math.inf


def notify_of_attempt(attempt_id: UUID) -> bool:
    """Ask a worker to score one attempt. False if the broker did not accept the message.

    Call it after the commit. In a burst of attempts no message is sent while enough are unread:
    among ENOUGH_UNREAD are some whose reader scores all attempts that wait by then. In embedded
    mode there is one for each attempt, since each wakes the slots beside the worker.
    """
    global _last_notified
    now = time.monotonic()
    is_burst, _last_notified = now - _last_notified < SECONDS_OF_BURST, now
    unread = backlog() if is_burst and settings.REDIS_URL else 0
    if unread >= ENOUGH_UNREAD:
        return True
    return notify_workers() if unread >= MANY_UNREAD else _send(SCORE_ATTEMPT, str(attempt_id))


def notify_workers(times: int = 1) -> bool:
    """Ask up to `times` workers to score all waiting attempts."""
    return all(_send(SCORE_WAITING) for _ in range(times))


def notify_of_rescore(config_id: int, times: int = 1) -> bool:
    """Ask up to `times` workers to score slices of a rescore until none is left."""
    return all(_send(RESCORE, config_id) for _ in range(times))


def notify_of_import(job_id: UUID) -> bool:
    """Ask a worker to read an uploaded file."""
    return _send(IMPORT, str(job_id))


def when_unsent(work: Callable[[], None]) -> None:
    """Call `work` for each message that the broker does not accept."""
    _unsent.append(work)


def is_away() -> bool:
    """Whether the broker did not accept the last message, or did not answer since."""
    return _is_away


def answers() -> bool:
    """Whether the broker accepts messages. Asks the broker each time, for at most a second.

    It writes a key, because a Redis without free memory answers but refuses all messages.
    """
    global _is_away
    try:
        with current_app.connection_for_write() as connection:
            channel: Any = connection.default_channel  # opening one asks the broker
            if hasattr(channel, "conn_or_acquire"):  # Redis, not the memory of this process
                with channel.conn_or_acquire() as client:
                    client.set(PROBE, "", ex=1)
    except Exception as error:  # kombu passes on all exceptions of its transport
        _is_away = True
        outages.broker.began(error)
        return False
    outages.broker.ended()
    _is_away = False
    return True


def backlog() -> int:
    """The number of notifications that no worker has received yet; 0 if it is unknown."""
    if time.monotonic() < _silent_until:
        return 0
    try:
        with current_app.producer_pool.acquire(block=True) as producer:
            name = current_app.conf.task_default_queue
            channel: Any = producer.channel
            if hasattr(channel, "conn_or_acquire"):  # Redis: one command instead of three
                with channel.conn_or_acquire() as client:
                    return int(client.llen(name))
            return int(channel.queue_declare(queue=name, passive=True).message_count)
    except Exception as error:  # for example, the queue does not exist yet
        logger.debug("the length of the backlog is unknown: %s", error)
        return 0


def _send(task: str, *args: str | int) -> bool:
    was_sent = _is_sent(task, *args)
    if not was_sent:
        for work in _unsent:
            work()
    return was_sent


def _is_sent(task: str, *args: str | int) -> bool:
    global _silent_until, _is_away
    if time.monotonic() < _silent_until:
        return False
    try:
        current_app.send_task(task, args=args, retry=False, ignore_result=True)
    except Exception as error:  # kombu passes on all exceptions of its transport
        _silent_until, _is_away = time.monotonic() + PAUSE_SECONDS, True
        outages.broker.began(error)
        return False
    _is_away = False
    outages.broker.ended()
    return True
