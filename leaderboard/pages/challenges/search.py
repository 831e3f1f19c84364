"""`/search/?q=`: challenges and participants by a part of their names."""

from __future__ import annotations

from typing import Final

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.models import Challenge
from leaderboard.pages.shared.access import reader_in
from leaderboard.services.competition.visible.search import LEAST, search_participants

MAX_SEARCH: Final = 120
MOST_CHALLENGES: Final = 20
MOST_PARTICIPANTS: Final = 50


@require_safe
@cache_control(private=True, no_cache=True)
def search_page(request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").strip()[:MAX_SEARCH]
    is_long_enough = len(text) >= LEAST
    reader = reader_in(request)
    challenges = _challenges(request, text) if is_long_enough else []
    context = {
        "search": text,
        "is_short": bool(text) and not is_long_enough,
        "least": LEAST,
        "challenges": challenges[:MOST_CHALLENGES],
        "more_challenges": len(challenges) > MOST_CHALLENGES,
        "most_challenges": MOST_CHALLENGES,
        "matches": search_participants(text, reader, most=MOST_PARTICIPANTS),
        "most_participants": MOST_PARTICIPANTS,
    }
    return render(request, "pages/search.html", context)


def _challenges(request: HttpRequest, text: str) -> list[Challenge]:
    """Those whose name or summary contains a text; one more than shown, if there is one."""
    listed = Challenge.objects.listed_for(request.user)
    challenges = listed.filter(Q(name__icontains=text) | Q(summary__icontains=text))
    return list(challenges.order_by("name", "pk")[: MOST_CHALLENGES + 1])
