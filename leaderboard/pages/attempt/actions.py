"""`/attempts/{id}/{action}/`: what participants and organisers do with an attempt."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.pages.shared.access import attempt_or_404, is_organiser, signed_in
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.attempt_actions import Action, act

DONE: Final[dict[Action, Promise | str]] = {
    "cancel": gettext_lazy("The attempt is cancelled."),
    "withdraw": gettext_lazy("The attempt is withdrawn."),
    "restore": gettext_lazy("The attempt is restored."),
    "retry": gettext_lazy("The attempt waits for a worker again."),
}


@require_POST
@login_required
def attempt_action(request: HttpRequest, pk: UUID, action: Action) -> HttpResponse:
    attempt = attempt_or_404(request, pk)
    try:
        act(
            attempt,
            action,
            user=signed_in(request),
            organiser=is_organiser(request, attempt.challenge),
            reason=request.POST.get("reason", ""),
        )
    except ServiceError as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, str(DONE[action]))
    return redirect("attempt", pk=pk)
