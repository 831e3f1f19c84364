"""`/`: the challenges."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.models import Challenge, Participant
from leaderboard.pages import labels
from leaderboard.pages.access import reader_in
from leaderboard.pages.cell_texts import texts_of
from leaderboard.pages.paging import counted, page_asked
from leaderboard.pages.table import Cell, cells
from leaderboard.rules.sight import Extent
from leaderboard.services.board.listing import Listed, listed
from leaderboard.services.board.ranking import columns_of
from leaderboard.services.competition.sight import Sight
from leaderboard.services.competition.viewers import sights_of
from leaderboard.translation import count_text

CHALLENGES_PER_PAGE = 30
STATES = {"open": True, "closed": False}


@dataclass(frozen=True, slots=True)
class ChallengeEntry:
    """A challenge as the list shows it. is_hidden: the reader does not see its board."""

    challenge: Challenge
    strategy: str
    participants: str
    leader: Participant | None
    is_hidden: bool
    value: Cell | None


@require_safe
def challenge_list(request: HttpRequest) -> HttpResponse:
    search, state = request.GET.get("q", "").strip(), request.GET.get("state", "")
    found = Challenge.objects.listed_for(request.user).order_by("-is_active", "name", "pk")
    if search:
        found = found.filter(Q(name__icontains=search) | Q(summary__icontains=search))
    if state in STATES:
        found = found.filter(is_active=STATES[state])
    number, total = page_asked(request), found.count()
    start = (number - 1) * CHALLENGES_PER_PAGE
    shown = list(found[start : start + CHALLENGES_PER_PAGE].select_related("shown_config"))
    sights = sights_of(shown, reader_in(request))
    rows = listed(shown, {phase for sight in sights.values() for phase in sight.frozen})
    context = {
        "paging": counted(number, total, CHALLENGES_PER_PAGE),
        "entries": [_entry(row, sights[row.challenge.pk]) for row in rows],
        "search": search,
        "state": state if state in STATES else "",
        "is_filtered": bool(search or state in STATES),
    }
    return render(request, "pages/challenges.html", context)


def _entry(row: Listed, sight: Sight) -> ChallengeEntry:
    columns = labels.spoken(columns_of(row.challenge))
    view = sight.view(row.phase_id)
    is_hidden = view.board is not Extent.ALL
    leader = None if is_hidden else row.leader
    return ChallengeEntry(
        challenge=row.challenge,
        strategy=labels.strategy(row.challenge.shown, columns),
        participants="–" if is_hidden else count_text(row.participants),
        leader=sight.participant(leader.participant, row.phase_id) if leader else None,
        is_hidden=is_hidden,
        value=cells(texts_of(columns[:1]), leader.values, leader.reached_at)[0] if leader else None,
    )
