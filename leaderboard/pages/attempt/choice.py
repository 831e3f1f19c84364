"""Participants choose the attempts that count, on the page of an attempt."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.http.arrivals import moment_of
from leaderboard.pages.shared.access import attempt_or_404, is_organiser, signed_in
from leaderboard.services.competition.clock import time_of
from leaderboard.services.competition.schedule.choosing import choose, unchoose
from leaderboard.services.errors import ServiceError


@require_POST
@login_required
def attempt_choice(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Choose an attempt; with `remove`, take its choice back."""
    attempt = attempt_or_404(request, pk)
    organiser = is_organiser(request, attempt.challenge)
    change = unchoose if "remove" in request.POST else choose
    try:
        at = time_of(moment_of(request.META))
        change(attempt, user=signed_in(request), organiser=organiser, received_at=at)
    except ServiceError as refused:
        messages.error(request, refused.message)
    else:
        done = _("The choice is taken back.") if change is unchoose else _("The attempt is chosen.")
        messages.success(request, done)
    return redirect("attempt", pk=pk)
