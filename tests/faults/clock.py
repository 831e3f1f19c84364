"""Shift the clock of a program that loads this module, by FAULT_CLOCK seconds.

A worker loads it by `--include`, and beat by `--scheduler tests.faults.clock:PersistentScheduler`.
"""

import os
import time
from datetime import datetime, timedelta
from typing import Any

from celery import Celery
from celery.beat import PersistentScheduler
from django.utils import timezone

__all__ = ["PersistentScheduler"]

_OFF = float(os.environ["FAULT_CLOCK"])
_real_time, _real_now, _real_app_now = time.time, timezone.now, Celery.now


def _time() -> float:
    return _real_time() + _OFF


def _now() -> datetime:
    return _real_now() + timedelta(seconds=_OFF)


def _app_now(app: Any) -> datetime:
    """The time by which beat sends messages, and from which their expiry counts."""
    return _real_app_now(app) + timedelta(seconds=_OFF)


time.time = _time
Celery.now = _app_now  # type: ignore[method-assign, assignment]
timezone.now = _now
