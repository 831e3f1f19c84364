"""`/c/{slug}/manage/phases/`: organisers see, add, change and remove phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.models import Challenge, Phase
from leaderboard.pages.manage.advancing import (
    Candidates,
    candidates,
    done_text,
    move_best,
    to_advance,
)
from leaderboard.pages.manage.forms.phase_form import PhaseForm
from leaderboard.pages.manage.forms.phase_questions import answered, is_answered, questions
from leaderboard.pages.shared.access import access_in, is_organiser, organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.pages.shared.phases import phase_entry
from leaderboard.schemas.errors import SchemaError
from leaderboard.services.challenges.one_phase import put_phase, remove_phase, state_of
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.phases import stored_phases
from leaderboard.services.competition.schedule.ending import confirm_end
from leaderboard.services.competition.schedule.reveal import reveal
from leaderboard.services.errors import ServiceError, refused

PUBLISHING: Final[Mapping[str, tuple[Callable[..., Phase], str | Promise]]] = {
    "reveal": (reveal, gettext_lazy("Everybody sees the final board now.")),
    "confirm-end": (
        confirm_end,
        gettext_lazy("The final scores are being computed."),
    ),
}
"""The actions that publish something, each with what the page says afterwards."""


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_phases(request: HttpRequest, slug: str) -> HttpResponse:
    """`?phase=SLUG` shows the form for a phase, `?phase=` the one for a new phase.

    `?advance=SLUG&best=3` shows whose attempts would move from that phase into the next one.
    """
    challenge = organised_or_404(request, slug)
    phases = stored_phases(challenge.pk)
    wanted = request.GET.get("phase")
    phase = _called(phases, wanted) if wanted else None
    form = PhaseForm(phase, request.POST if request.POST.get("action") == "save" else None)
    if request.method == "POST" and _done(request, challenge, phase, form):
        return redirect("manage-phases", slug=slug)
    changes = is_organiser(request, challenge)
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "phases",
        "phases": [phase_entry(phase) for phase in phases],
        "frozen": _to_reveal(phases),
        "unconfirmed": _unconfirmed(phases),
        "closed": to_advance(phases, received_now()),
        "candidates": _candidates(request, challenge, phases) if changes else None,
        "phase": phase,
        "form": form if wanted is not None and changes else None,
        "state": request.POST.get("state") or (state_of(phase) if phase else ""),
    }
    status = 422 if form.errors or form.asked else 200
    return render(request, "pages/manage/phases.html", context, status=status)


def _candidates(
    request: HttpRequest, challenge: Challenge, phases: list[Phase]
) -> Candidates | None:
    slug = request.GET.get("advance")
    if not slug:
        return None
    access, best = access_in(request, challenge), request.GET.get("best", "")
    return candidates(challenge, access, _called(phases, slug), best)


def _to_reveal(phases: list[Phase]) -> set[str]:
    """The slugs of the phases whose boards organisers may reveal now."""
    now = received_now()
    return {phase.slug for phase in phases if phase.is_frozen(now) and not phase.is_open(now)}


def _unconfirmed(phases: list[Phase]) -> list[tuple[Phase, datetime | None]]:
    """The closed phases whose final scores wait, each with the moment until when."""
    now = received_now()
    return [(phase, phase.finals_wait_until) for phase in phases if phase.finals_wait(now)]


def _called(phases: list[Phase], slug: str) -> Phase:
    chosen = next((phase for phase in phases if phase.slug == slug), None)
    if chosen is None:
        raise Http404("There is no such phase.")
    return chosen


def _done(request: HttpRequest, challenge: Challenge, phase: Phase | None, form: PhaseForm) -> bool:
    """Do what was asked for; False with the errors in the form or as a message."""
    user, state = signed_in(request), request.POST.get("state", "")
    match request.POST.get("action"):
        case "save" if "phase" in request.GET:
            if not _saved(request, challenge, phase, form):
                return False
            messages.success(request, _("The phase is saved."))
        case "remove" if phase:
            try:
                remove_phase(challenge, slug=phase.slug, state=state, user=user)
            except ServiceError as error:
                messages.error(request, error.message)
                return True
            messages.success(request, _("The phase is removed."))
        case "reveal" | "confirm-end" as action if phase:
            verb, text = PUBLISHING[action]
            try:
                verb(phase, user=user)
            except ServiceError as error:
                messages.error(request, error.message)
                return True
            messages.success(request, str(text))
        case "advance" if phase:
            try:
                done = move_best(phase, request.POST.get("best", ""), user=user)
            except ServiceError as error:
                messages.error(request, error.message)
                return True
            messages.success(request, done_text(done))
        case _:
            raise Http404("There is no such action.")
    return True


def _saved(
    request: HttpRequest, challenge: Challenge, phase: Phase | None, form: PhaseForm
) -> bool:
    """Save a valid form whose questions are answered; else False, with errors or questions."""
    if not form.is_valid():
        return False
    slug, state = phase.slug if phase else None, request.POST.get("state", "")
    try:
        asked = questions(challenge, phase, form, received_now())
        if not is_answered(asked, request.POST):
            form.ask(asked)
            return False
        sent = answered(phase, form, request.POST)
        put_phase(challenge, sent, slug=slug, state=state, user=signed_in(request))
    except SchemaError as wrong:
        explain(form, refused(wrong))
        return False
    except ServiceError as error:
        explain(form, error)
        return False
    return True
