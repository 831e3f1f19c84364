"""How many attempts one sender may send in bulk requests (THROTTLE_BULK)."""

from __future__ import annotations

from math import ceil

from django.conf import settings
from django.utils.translation import gettext, ngettext

from leaderboard.cache.rates import parsed, wait_for
from leaderboard.models import Challenge
from leaderboard.services.errors import ServiceError


def count_import(challenge: Challenge, sender: str, attempts: int, *, dry_run: bool) -> None:
    """Count the attempts of a file; those of a dry run only if rules judge them, because it is not
    free to try what passes. Raises as `count_lines`.
    """
    if challenge.condition_set_id is not None or not dry_run:
        count_lines(sender, attempts)


def count_lines(sender: str, lines: int) -> None:
    """Count the attempts of one request. sender: a text that identifies the sender.

    Raises ServiceError: `throttled` if they are too many for now, `too_large` if they always would
    be. Refused attempts do not count.
    """
    rate: str | None = settings.THROTTLE_BULK
    wait = wait_for(rate, f"lines:{sender}", lines)
    if rate is None or wait is None:
        return
    most, _ = parsed(rate)
    if lines > most:
        text = gettext("At most {rate} attempts are taken of one sender; got {count} at once.")
        raise ServiceError("too_large", text.format(rate=rate, count=lines))
    seconds = max(1, ceil(wait))
    text = ngettext(
        "At most {rate} attempts are taken of one sender. Try again in {count} second.",
        "At most {rate} attempts are taken of one sender. Try again in {count} seconds.",
        seconds,
    )
    refused = ServiceError("throttled", text.format(rate=rate, count=seconds))
    refused.retry_after = seconds
    raise refused
