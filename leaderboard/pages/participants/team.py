"""`/c/{slug}/team/`: the user's team."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.http.links import absolute
from leaderboard.models import Challenge, Entry, User
from leaderboard.pages.shared.access import challenge_or_404, signed_in
from leaderboard.services.accounts.team_links import make_team_link
from leaderboard.services.competition.participants.ownership import owns_name
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.competition.teams.membership import (
    change_team,
    leave,
    make_captain,
    members_of,
    own_entry,
    remove_member,
    why_members_stay,
    why_not_leave,
)
from leaderboard.services.competition.teams.merge_requests import (
    ask_to_merge,
    merge_asked,
    merges_offered,
    take_back_request,
)
from leaderboard.services.competition.teams.merging import accept_merge, refuse_merge
from leaderboard.services.errors import ServiceError

LONGEST_SLUG = 140


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def team_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the team; a form creates a link, removes a member or names another captain."""
    challenge, user = challenge_or_404(request, slug), signed_in(request)
    own = own_entry(challenge, user)
    if own is None:
        return redirect("register", slug=slug)
    link = ""
    if request.method == "POST":
        try:
            link = _done(request, challenge, user)
        except ServiceError as refused:
            messages.error(request, refused.message)
        if not link:
            return redirect("team", slug=slug)
    rules = rules_of(challenge)
    members = members_of(challenge, own.participant)
    context = {
        "challenge": challenge,
        "tab": "team",
        "rules": rules,
        "own": own,
        "is_captain": own.role == Entry.Role.CAPTAIN,
        "owns_name": owns_name(own.participant, user),
        "why_members_stay": why_members_stay(challenge, own),
        "may_leave": not why_not_leave(own, members),
        "members": members,
        "may_grow": rules is not None and rules.largest_team > 1,
        "link": link,
        "asked": merge_asked(challenge, own.participant),
        "offered": merges_offered(challenge, own.participant),
    }
    return render(request, "pages/team.html", context)


def _done(request: HttpRequest, challenge: Challenge, user: User) -> str:
    """Perform the action of the form; returns the address of a new link. Raises ServiceError."""
    who = request.POST.get("username", "")
    match request.POST.get("action"):
        case "link":
            _link, code = make_team_link(challenge, user)
            return f"{absolute(request, resolve_url('link'))}#{code}"
        case "leave":
            leave(challenge, user)
            messages.success(request, _("You have left the team."))
        case "remove":
            remove_member(challenge, user, who)
        case "rename":
            change_team(challenge, user, handle=request.POST.get("name", ""))
            messages.success(request, _("The new name is on the board."))
        case "captain":
            make_captain(challenge, user, who)
        case "merge" | "take-back" | "accept" | "refuse" as action:
            _merged(request, challenge, action)
        case _:
            raise Http404("There is no such action.")
    return ""


def _merged(request: HttpRequest, challenge: Challenge, action: str) -> None:
    """Ask to merge the team with another one, or answer such a request. Raises ServiceError."""
    user, team = signed_in(request), request.POST.get("team", "")
    match action:
        case "merge":
            ask_to_merge(challenge, user, team[:LONGEST_SLUG])
            messages.success(
                request, _("If a team of this name takes part, its captain can accept now.")
            )
        case "take-back":
            take_back_request(challenge, user)
            messages.success(request, _("The request is taken back."))
        case "accept":
            accept_merge(challenge, user, team)
            messages.success(request, _("Both teams are one now."))
        case _:
            refuse_merge(challenge, user, team)
            messages.success(request, _("The request is refused."))
