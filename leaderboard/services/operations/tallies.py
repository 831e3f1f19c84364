"""Count events over all processes of an installation, for `/metrics`.

Each process counts in memory and adds its counts to the database every few seconds, in one
statement. A process that is killed loses at most the counts of those seconds. Without
PROMETHEUS_TOKEN nothing is counted. The files of prometheus-client would be shared by the processes
of one host only, and would have to be emptied at each start.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from typing import Final, NamedTuple

from django.conf import settings
from django.db import Error, connection

from leaderboard.messages import queue
from leaderboard.models import Tally

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 5.0

MOST_KEYS = 2000
"""The most counters that are kept in memory while the database is unavailable."""


class Counter(NamedTuple):
    """A count that only increases. `name` ends in `_total`."""

    name: str
    help: str
    labels: tuple[str, ...] = ()


class Histogram(NamedTuple):
    """Durations in seconds, counted in buckets. bounds: the upper bounds of the buckets."""

    name: str
    help: str
    bounds: tuple[float, ...]


ATTEMPTS: Final = Counter(
    "podium_attempts_total", "Attempts that ended, by result.", ("tenant", "result")
)
LEASES_LOST: Final = Counter(
    "podium_leases_lost_total", "Claims of workers that did not finish their attempt in time."
)
SCORING: Final = Histogram(
    "podium_scoring_seconds",
    "From the claim of an attempt to its stored score.",
    (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0, 600.0),
)
UNSENT: Final = Counter(
    "podium_notifications_unsent_total", "Messages to workers that the broker did not accept."
)
REQUESTS: Final = Counter(
    "podium_requests_total", "Requests, by method and status.", ("method", "status")
)
REQUEST_SECONDS: Final = Histogram(
    "podium_request_seconds",
    "From the arrival of a request to the beginning of its answer.",
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)

COUNTERS: Final = (ATTEMPTS, LEASES_LOST, UNSENT, REQUESTS)
HISTOGRAMS: Final = (SCORING, REQUEST_SECONDS)

_amounts: defaultdict[tuple[str, str], float] = defaultdict(float)
_lock = threading.Lock()
_thread: threading.Thread | None = None
_flushes = False


def count(counter: Counter, amount: float = 1, **labels: str) -> None:
    """Add to a counter. labels: a value for each of the counter's labels."""
    assert labels.keys() == set(counter.labels), counter.name  # noqa: S101 - a mistake of ours
    if settings.PROMETHEUS_TOKEN:
        _add((counter.name, _as_json(labels)), amount)


queue.when_unsent(lambda: count(UNSENT))


def observe(histogram: Histogram, seconds: float) -> None:
    """Add one duration to a histogram: its bucket, and the sum of all."""
    if settings.PROMETHEUS_TOKEN:
        at = bisect_left(histogram.bounds, seconds)
        bound = f"{histogram.bounds[at]:g}" if at < len(histogram.bounds) else "+Inf"
        _add((f"{histogram.name}_bucket", _as_json({"le": bound})), 1)
        _add((f"{histogram.name}_sum", "{}"), seconds)


def keep_flushing() -> None:
    """Let this process and its forks add their counts to the database periodically.

    Commands and tests do not call this: their counts stay in memory.
    """
    global _flushes
    _flushes = True
    atexit.register(flush)


def flush() -> bool:
    """Add the counts since the last time to the database. False if it is unavailable."""
    with _lock:
        amounts = dict(_amounts)
        _amounts.clear()
    if not amounts:
        return True
    try:
        Tally.objects.add(amounts)
    except Error:
        logger.debug("counters could not be stored; trying again", exc_info=True)
        with _lock:
            for key, amount in list(amounts.items())[:MOST_KEYS]:
                _amounts[key] += amount
        return False
    return True


def totals() -> dict[str, list[tuple[dict[str, str], float]]]:
    """The stored counters by name: their values with their labels."""
    values_by_name: dict[str, list[tuple[dict[str, str], float]]] = {}
    for name, labels, value in Tally.objects.order_by("name", "labels").values_list(
        "name", "labels", "value"
    ):
        values_by_name.setdefault(name, []).append((json.loads(labels), value))
    return values_by_name


def _add(key: tuple[str, str], amount: float) -> None:
    with _lock:
        _amounts[key] += amount
    if _flushes and _thread is None:
        _start()


def _start() -> None:
    global _thread
    with _lock:
        if _thread is not None:
            return
        _thread = threading.Thread(target=_keep_flushing, name="tallies", daemon=True)
    _thread.start()


def _keep_flushing() -> None:
    while True:
        time.sleep(FLUSH_SECONDS)
        try:
            if _amounts:
                flush()
        except Exception:  # no error may end this thread
            logger.exception("counters could not be stored; trying again")
        finally:
            connection.close()


def _as_json(labels: dict[str, str]) -> str:
    return json.dumps(labels, sort_keys=True)


def _in_a_child() -> None:
    """Reset the counts in a forked process, because the parent stores its own counts."""
    global _thread, _lock
    _lock, _thread = threading.Lock(), None
    _amounts.clear()


os.register_at_fork(after_in_child=_in_a_child)
