"""`/c/{slug}/manage/`: what happens in a challenge, for its organisers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from typing import Final, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.languages.translation import count_text, day_text
from leaderboard.pages.labels import row_labels
from leaderboard.pages.manage.alarms import alarms_of
from leaderboard.pages.manage.checklist import checklist_of
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.pages.shared.phases import QUOTAS, phase_entry
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.texts.local_times import ANYWHERE_ON_EARTH
from leaderboard.services.competition.organisers.overview import DayCount, overview

STATES: Final = {
    "open": gettext_lazy("Open"),
    "not_open": gettext_lazy("Not open yet"),
    "closed": gettext_lazy("Closed"),
}
WIDTH: Final = 600
HEIGHT: Final = 100
"""The size of the chart of attempts per day."""
GAP: Final = 0.2
"""The share of a column's width that stays empty."""
LEAST: Final = 1.5
"""The height of a column whose value is small and not zero."""


class Bar(NamedTuple):
    """A rectangle. title: the text that appears under the pointer."""

    x: str
    y: str
    width: str
    height: str
    title: str


@login_required
@never_cache
@require_safe
def manage_overview(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    figures = overview(challenge)
    days = figures.last.days
    context: PageContext = {
        "challenge": challenge,
        "tab": "manage",
        "part": "overview",
        "copies": signed_in(request).organises(challenge.tenant_id),
        "phase": figures.now.phase,
        "entry": phase_entry(figures.now.phase),
        "alarms": [] if challenge.is_draft else alarms_of(request, challenge, figures),
        "state": STATES[figures.now.state],
        "zone": _zone(figures.now.phase.time_zone),
        "counted_at": figures.last.counted_at,
        "failures": [
            (row_labels.error(failure.code), failure) for failure in figures.last.failures
        ],
        "today": days[-1],
        "attempts": sum(day.attempts for day in days),
        "chart": _bars([day.attempts for day in days], [_day_title(day) for day in days]),
        "size": (WIDTH, HEIGHT),
        "newest_first": [(day, _date(day)) for day in reversed(days) if day.attempts],
        "first": days[0],
        "first_day": _date(days[0]),
        "most": max(day.attempts for day in days),
        "waiting": figures.waiting,
        "full": figures.full,
        "at_limit": [
            (limit, QUOTAS[limit.quota])
            for limit in sorted(figures.at_limit, key=lambda limit: limit.participant)
        ],
    }
    if challenge.is_draft:
        context |= checklist_of(request, challenge)
    return render(request, "pages/manage/overview.html", context)


def _zone(name: str) -> str | Promise:
    return gettext_lazy("anywhere on Earth") if name == ANYWHERE_ON_EARTH else name


def _date(day: DayCount) -> str:
    return day_text(datetime.combine(day.day, time()))


def _day_title(day: DayCount) -> str:
    """A column of the chart in words."""
    attempts = ngettext("{count} attempt", "{count} attempts", day.attempts)
    participants = ngettext("{count} participant", "{count} participants", day.participants)
    return _("{day}: {attempts}, {participants}").format(
        day=_date(day),
        attempts=attempts.format(count=count_text(day.attempts)),
        participants=participants.format(count=count_text(day.participants)),
    )


def _bars(values: Sequence[int], titles: Sequence[str]) -> list[Bar]:
    """A rectangle for each value above zero, from left to right; the largest fills the height."""
    most, step = max(values, default=0), WIDTH / max(1, len(values))
    drawn = []
    for place, (value, title) in enumerate(zip(values, titles, strict=True)):
        if value:
            height = max(LEAST, HEIGHT * value / most)
            x, width = step * (place + GAP / 2), step * (1 - GAP)
            drawn.append(Bar(f"{x:g}", f"{HEIGHT - height:g}", f"{width:g}", f"{height:g}", title))
    return drawn
