"""Limits for the requests of a token or an address; they protect others and are no quota."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from leaderboard.cache.rates import address_of, counted_wait, wait_for, wait_for_body
from leaderboard.models import ApiToken


class Throttle(BaseThrottle):
    """Limits reads and writes per window of time, counted by token, else by address.

    The shared cache has one counter per window, so that a request costs one increment at any rate.
    The rates are the settings THROTTLE_READ and THROTTLE_SUBMIT, and THROTTLE_MIB for the bodies of
    writes; None turns one off. Writes that keep nothing count as reads too, whose cost is limited.
    """

    left: float | None = None

    def allow_request(self, request: Request, view: APIView) -> bool:
        kind = "read" if request.method in SAFE_METHODS else "submit"
        rates: Any = api_settings.DEFAULT_THROTTLE_RATES
        who = who_asks(request)
        if kind == "submit":  # the lines of a bulk and the bytes of bodies have limits of their own
            self.left = wait_for(rates[kind], f"{kind}:{who}") or _wait_for_body(request)
        if self.left is None and (kind == "read" or _keeps_nothing(request, view)):
            self.left = counted_wait(request._request, rates["read"], f"read:{who}")
        return self.left is None

    def wait(self) -> float | None:
        """Seconds until the next window."""
        return self.left


def _keeps_nothing(request: Request, view: APIView) -> bool:
    """Whether a write only says what would be, so that no limit of attempts keeps it few."""
    return getattr(view, "keeps_nothing", False) or request.query_params.get("dry_run") == "1"


def _wait_for_body(request: Request) -> float | None:
    """Seconds until the sender may send so much; tokens of organisers have no limit.

    All tokens of a user count together.
    """
    if isinstance(request.auth, ApiToken) and request.auth.allows("organise"):
        return None
    user = request.user
    who = f"user-{user.pk}" if user.is_authenticated else who_asks(request)
    return wait_for_body(request._request, who)


def who_asks(request: Request) -> str:
    """A text that identifies the token of a request, or its address if there is none."""
    if isinstance(request.auth, ApiToken):
        return f"token-{request.auth.token_key}"
    return f"address-{address_of(request._request)}"
