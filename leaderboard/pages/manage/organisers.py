"""`/c/{slug}/manage/organisers/`: who organises and reviews a challenge."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge, ChallengeRole
from leaderboard.models.choices import choices_of, label_of
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.services.competition.organisers.appointing import (
    UnsureUser,
    give_role,
    organisers_of,
    take_role,
    unsure_user,
)
from leaderboard.services.errors import ServiceError


class RoleForm(FormWithSent):
    """The service checks what is sent, so that errors are those of the API."""

    user = forms.CharField(
        label=gettext_lazy("Username or e-mail address"),
        help_text=gettext_lazy("An address counts if its owner has confirmed it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=choices_of(ChallengeRole.Role),
        initial=ChallengeRole.Role.REVIEWER.value,
        help_text=gettext_lazy(
            "Organisers may do everything in this challenge. Reviewers see what organisers see, "
            "and change nothing."
        ),
    )


class _Unsure(Exception):
    """The organiser has to confirm the user whom they have named."""

    def __init__(self, about: UnsureUser) -> None:
        super().__init__()
        self.about = about


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_organisers(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    adds = request.POST.get("action") == "add"
    form = RoleForm(request.POST if adds else None)
    try:
        if request.method == "POST" and _done(request, challenge, form):
            return redirect("manage-organisers", slug=slug)
        asked = None
    except _Unsure as unsure:
        asked = unsure.about
    context = {
        "asked": asked,
        "challenge": challenge,
        "tab": "manage",
        "part": "organisers",
        "form": form,
        "organisers": [
            (organiser, label_of(organiser.role)) for organiser in organisers_of(challenge)
        ],
        "roles": choices_of(ChallengeRole.Role),
    }
    status = 422 if form.errors else 200
    return render(request, "pages/manage/organisers.html", context, status=status)


def _done(request: HttpRequest, challenge: Challenge, form: RoleForm) -> bool:
    """Do what was asked for; False with the errors in the form. Raises _Unsure."""
    match request.POST.get("action"):
        case "add":
            if not form.is_valid():
                return False
            user, role = form.cleaned_data["user"], form.cleaned_data["role"]
            try:
                unsure = unsure_user(challenge, user)
                if unsure and request.POST.get("confirmed") != unsure.user.username:
                    raise _Unsure(unsure)
                given = give_role(challenge, user, {"role": role}, by=signed_in(request))
            except ServiceError as refused:
                explain(form, refused)
                return False
            text = _("{name} has the role now.").format(name=given.user.username)
            messages.success(request, text)
        case "change" | "remove":
            _changed(request, challenge)
        case _:
            raise Http404("There is no such action.")
    return True


def _changed(request: HttpRequest, challenge: Challenge) -> None:
    """Change or end a role that somebody has; errors become messages."""
    username, by = request.POST.get("user", ""), signed_in(request)
    try:
        if request.POST["action"] == "remove":
            take_role(challenge, username, by=by)
            text = _("The role has ended.")
        else:
            give_role(challenge, username, {"role": request.POST.get("role", "")}, by=by)
            text = _("The role is changed.")
    except ServiceError as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, text)
