"""`/c/{slug}/arena/vote/`: signed-in people compare two outputs without names."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.pages.analysis.shared import analysed
from leaderboard.pages.shared.access import signed_in
from leaderboard.rules.visibility.view import Extent
from leaderboard.schemas.choices import VotesFrom
from leaderboard.schemas.votes import Winner
from leaderboard.services.competition.arena.pairs import random_pair
from leaderboard.services.competition.arena.voting import token_for, vote
from leaderboard.services.errors import ServiceError

WINNERS: Final[dict[str, Winner]] = {"left": "first", "right": "second", "tie": "tie"}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def vote_page(request: HttpRequest, slug: str) -> HttpResponse:
    about = analysed(request, slug)
    challenge, user = about.challenge, signed_in(request)
    if challenge.votes_from != VotesFrom.ACCOUNTS or about.board.view.board is not Extent.ALL:
        raise Http404("Nobody votes here.")
    winner = WINNERS.get(request.POST.get("winner", ""))
    if request.method == "POST":
        try:
            if winner is not None:
                vote(challenge, user, request.POST.get("token", ""), winner)
                messages.success(request, _("Your vote is stored."))
        except ServiceError as error:
            messages.error(request, error.message)
        return redirect("arena-vote", slug=slug)
    outputs = random_pair(about.board, user)
    context = {
        **about.context("arena"),
        "outputs": outputs,
        "token": token_for(challenge, user, outputs.pair) if outputs else "",
    }
    return render(request, "pages/arena_vote.html", context)
