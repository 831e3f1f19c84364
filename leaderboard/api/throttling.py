"""How many requests a token or an address may make: a courtesy to others, not a quota."""

from __future__ import annotations

import time

from django.core.cache import cache
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from leaderboard.models import ApiToken

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Throttle(BaseThrottle):
    """So many reads and so many writes per window of time, counted per token, else per address.

    One counter per window in the shared cache: an increment, whatever the rate. The rates are
    the settings THROTTLE_READ and THROTTLE_SUBMIT; None turns one off.
    """

    left: float = 0.0

    def allow_request(self, request: Request, view: APIView) -> bool:
        kind = "read" if request.method in SAFE_METHODS else "submit"
        rate = api_settings.DEFAULT_THROTTLE_RATES[kind]
        if rate is None:
            return True
        count, _, unit = str(rate).partition("/")
        seconds = SECONDS[unit[0]]
        window, past = divmod(time.time(), seconds)
        self.left = seconds - past
        key = f"throttle:{kind}:{who_asks(request)}:{int(window)}"
        return _increment(key, seconds) <= int(count)

    def wait(self) -> float:
        """Seconds until the next window."""
        return self.left


def who_asks(request: Request) -> str:
    """A text that tells one token from another; the address of whoever has none."""
    if isinstance(request.auth, ApiToken):
        return f"token-{request.auth.token_key}"
    return f"address-{request.META.get('REMOTE_ADDR', '')}"


def _increment(key: str, seconds: int) -> int:
    cache.add(key, 0, seconds)
    try:
        return cache.incr(key)
    except ValueError:  # dropped in between, by a full cache
        return 1
