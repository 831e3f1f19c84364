"""Shift the clock of a program that loads this module (`--include`), by FAULT_CLOCK seconds."""

import os
import time
from datetime import datetime, timedelta

from django.utils import timezone

_OFF = float(os.environ["FAULT_CLOCK"])
_real_time, _real_now = time.time, timezone.now


def _time() -> float:
    return _real_time() + _OFF


def _now() -> datetime:
    return _real_now() + timedelta(seconds=_OFF)


time.time = _time
timezone.now = _now
