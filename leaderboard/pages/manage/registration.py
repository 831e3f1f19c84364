"""`/c/{slug}/manage/registration/`: organisers say who may take part."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from leaderboard.models import Challenge
from leaderboard.pages.manage.forms.registration_rules_form import WholeForm
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.errors import ServiceError


@sensitive_post_parameters("code")
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_registration(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    rules = rules_of(challenge)
    form = WholeForm(rules, request.POST if request.POST.get("action") == "save" else None)
    if request.method == "POST" and _done(request, challenge, form):
        return redirect("manage-registration", slug=slug)
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "registration",
        "rules": rules,
        "form": form,
    }
    status = 422 if form.has_errors else 200
    return render(request, "pages/manage/registration.html", context, status=status)


def _done(request: HttpRequest, challenge: Challenge, form: WholeForm) -> bool:
    """Do what was asked for; False with the errors in the form."""
    user = signed_in(request)
    match request.POST.get("action"):
        case "save":
            if not form.is_valid():
                return False
            try:
                declare_rules(challenge, form.body(), by=user)
            except ServiceError as refused:
                form.explain(refused)
                return False
            messages.success(request, _("The rules are saved."))
        case "remove":
            withdraw_rules(challenge, by=user)
            messages.success(request, _("Everyone may take part now."))
        case _:
            raise Http404("There is no such action.")
    return True
