"""The limits of a phase, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from leaderboard.models import Phase
from leaderboard.schemas.choices import LimitsPer

_LIMITS = {
    "per_day": ngettext_lazy(
        "%(limit)d attempt of a participant a day",
        "%(limit)d attempts of a participant a day",
        "limit",
    ),
    "per_week": ngettext_lazy(
        "%(limit)d attempt of a participant a week, from Monday to Sunday",
        "%(limit)d attempts of a participant a week, from Monday to Sunday",
        "limit",
    ),
    "per_month": ngettext_lazy(
        "%(limit)d attempt of a participant a month",
        "%(limit)d attempts of a participant a month",
        "limit",
    ),
    "total": ngettext_lazy(
        "%(limit)d attempt of a participant in the whole phase",
        "%(limit)d attempts of a participant in the whole phase",
        "limit",
    ),
    "at_once": ngettext_lazy(
        "%(limit)d attempt of a participant waiting to be scored",
        "%(limit)d attempts of a participant waiting to be scored",
        "limit",
    ),
}
"""What each limit of a phase means."""
PER: Final[Mapping[str, str | Promise]] = {
    "account": gettext_lazy("An account, under all of its names together"),
    "name": gettext_lazy("Each name of an account by itself"),
}


def limits_in_words(phase: Phase) -> Iterator[str]:
    """The limits of a phase, a line each."""
    for name, text in _LIMITS.items():
        limit: int | None = getattr(phase, name)
        if limit is not None:
            yield text % {"limit": limit}
    if phase.file_mib is not None:
        yield _("a file of at most {most} MiB").format(most=phase.file_mib)
    if phase.has_limits and phase.limits_per == LimitsPer.NAME:
        yield _("each name of an account has these limits by itself")
    if phase.has_limits and not phase.count_failed:
        yield _("attempts that fail do not count")
