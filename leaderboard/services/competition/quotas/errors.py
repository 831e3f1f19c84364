"""The errors for attempts beyond a limit: 429 `quota`, with the time to wait."""

from __future__ import annotations

from datetime import datetime
from math import ceil
from typing import Final

from django.utils.translation import gettext, ngettext

from leaderboard.models.quota import DAY, MONTH, TOTAL, WEEK
from leaderboard.services.competition.clock import iso
from leaderboard.services.errors import ServiceError

NAMES: Final = {DAY: "per_day", MONTH: "per_month", TOTAL: "total", WEEK: "per_week"}
"""The names of limits in the API, by kind."""


def over_limit(
    kind: str,
    limit: int,
    used: int,
    next_at: datetime | None,
    received_at: datetime,
    *,
    of_account: bool = False,
) -> ServiceError:
    """The refusal of an attempt beyond a limit per day, week or month, or in total.

    next_at: when the next attempt is possible; None: not in this phase. of_account: whether the
    attempts of an account under all of its names count.
    """
    text = (_text_of_account if of_account else _text)(kind, limit).format(limit=limit)
    if next_at is not None:
        then = gettext("The next attempt is possible from {moment} on.")
        text = f"{text} {then.format(moment=iso(next_at))}"
    refused = _refusal(NAMES[kind], text, limit, used, iso(next_at) if next_at else None)
    if next_at is not None:
        refused.retry_after = max(1, ceil((next_at - received_at).total_seconds()))
    return refused


def too_many_at_once(limit: int, used: int) -> ServiceError:
    """The refusal of an attempt while too many wait to be scored."""
    text = ngettext(
        "At most {limit} attempt of a participant may wait to be scored.",
        "At most {limit} attempts of a participant may wait to be scored.",
        limit,
    )
    return _refusal("at_once", text.format(limit=limit), limit, used, None)


def too_many_of_account(limit: int, used: int) -> ServiceError:
    """The same for the attempts of an account under all of its names."""
    text = ngettext(
        "At most {limit} attempt of an account, under all of its names, may wait to be scored.",
        "At most {limit} attempts of an account, under all of its names, may wait to be scored.",
        limit,
    )
    return _refusal("at_once", text.format(limit=limit), limit, used, None)


def _text(kind: str, limit: int) -> str:
    if kind == DAY:
        return ngettext(
            "A participant has at most {limit} attempt a day.",
            "A participant has at most {limit} attempts a day.",
            limit,
        )
    if kind == WEEK:
        return ngettext(
            "A participant has at most {limit} attempt a week.",
            "A participant has at most {limit} attempts a week.",
            limit,
        )
    if kind == MONTH:
        return ngettext(
            "A participant has at most {limit} attempt a month.",
            "A participant has at most {limit} attempts a month.",
            limit,
        )
    return ngettext(
        "A participant has at most {limit} attempt in this phase.",
        "A participant has at most {limit} attempts in this phase.",
        limit,
    )


def _text_of_account(kind: str, limit: int) -> str:
    if kind == DAY:
        return ngettext(
            "An account has at most {limit} attempt a day, under all of its names.",
            "An account has at most {limit} attempts a day, under all of its names.",
            limit,
        )
    if kind == WEEK:
        return ngettext(
            "An account has at most {limit} attempt a week, under all of its names.",
            "An account has at most {limit} attempts a week, under all of its names.",
            limit,
        )
    if kind == MONTH:
        return ngettext(
            "An account has at most {limit} attempt a month, under all of its names.",
            "An account has at most {limit} attempts a month, under all of its names.",
            limit,
        )
    return ngettext(
        "An account has at most {limit} attempt in this phase, under all of its names.",
        "An account has at most {limit} attempts in this phase, under all of its names.",
        limit,
    )


def _refusal(name: str, text: str, limit: int, used: int, next_at: str | None) -> ServiceError:
    facts: dict[str, str | int | None] = {
        "quota": name,
        "limit": limit,
        "used": used,
        "next_at": next_at,
    }
    return ServiceError("quota", text, facts=facts)
