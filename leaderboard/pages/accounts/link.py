"""`/link/#CODE`: the page of a one-time link. Opening it shows a form; posting the form uses it."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from leaderboard.form_errors import FormWithSent
from leaderboard.models import OneTimeLink, User
from leaderboard.pages.access import signed_in
from leaderboard.pages.accounts.forms import NewPasswordForm
from leaderboard.pages.accounts.invitation import keep_invitation
from leaderboard.pages.registration_form import AnswersForm
from leaderboard.services.accounts.one_time_links import (
    accept_invitation,
    end_links_of,
    open_link,
    use_link,
)
from leaderboard.services.accounts.team_links import join_by_link
from leaderboard.services.errors import ServiceError
from leaderboard.signing_in import sign_in

_Purpose = OneTimeLink.Purpose


class CodeForm(FormWithSent):
    """The code of a link: a script copies it from the address, or the user types it."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=100,
        help_text=gettext_lazy("What follows the # in your link, or the code on your sheet."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def link_page(request: HttpRequest) -> HttpResponse:
    form = CodeForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return _asked(request, form)
    code = form.cleaned_data["code"]
    link = open_link(code)
    try:
        if link is None:
            raise ServiceError("not_found", _("This link is not valid any more."))
        return _used(request, link, code)
    except ServiceError as refused:
        form.add_error("code", refused.message)
        return _asked(request, form)


def _asked(request: HttpRequest, form: forms.Form) -> HttpResponse:
    status = 422 if form.errors else 200
    return render(request, "pages/accounts/link.html", {"form": form}, status=status)


def _used(request: HttpRequest, link: OneTimeLink, code: str) -> HttpResponse:
    if link.purpose == _Purpose.TEAM:
        return _joined(request, link, code)
    if link.user is None:
        return _invited(request, link)
    if link.purpose == _Purpose.PASSWORD:
        return _password_chosen(request, link, link.user, code)
    use_link(link)
    return sign_in(request, link.user, method="link", to=resolve_url("account"))


def _password_chosen(
    request: HttpRequest, link: OneTimeLink, user: User, code: str
) -> HttpResponse:
    """Ask for the password, or set it and use the link up."""
    form = NewPasswordForm(user, request.POST if "new_password1" in request.POST else None)
    if not form.is_valid():
        context = {"form": form, "code": code, "name": user.username}
        status = 422 if form.errors else 200
        return render(request, "pages/accounts/new_password.html", context, status=status)
    with transaction.atomic():
        use_link(link)
        form.save()
        end_links_of(user)
    return sign_in(request, user, method="link", to=resolve_url("account"))


def _joined(request: HttpRequest, link: OneTimeLink, code: str) -> HttpResponse:
    """Make a signed-in user a member of the link's team; other visitors sign in first.

    The user first answers the questions of the challenge, if it has any.
    """
    if not request.user.is_authenticated:
        text = _("Sign in first, then open the link again.")
        raise ServiceError("permission_denied", text)
    form = AnswersForm(link.challenge, request.POST)
    if form.questions and not (form.is_sent and form.is_valid()):
        if not form.is_sent:
            form = AnswersForm(link.challenge, None)
        context = {"form": form, "code": code, "team": link.participant}
        status = 422 if form.is_sent else 200
        return render(request, "pages/accounts/answers.html", context, status=status)
    entry = join_by_link(link, signed_in(request), form.answers() if form.questions else None)
    name = entry.participant.shown_name
    messages.success(request, _("You are a member of {name} now.").format(name=name))
    return redirect("team", slug=entry.challenge.slug)


def _invited(request: HttpRequest, link: OneTimeLink) -> HttpResponse:
    """Let a signed-in user join the tenant; other visitors sign up first."""
    if request.user.is_authenticated:
        with transaction.atomic():
            accept_invitation(link, signed_in(request))
        messages.success(request, _("The invitation is accepted."))
        return redirect("account")
    if settings.SIGN_UP == "off":
        return render(request, "account/signup_closed.html", status=403)
    keep_invitation(request, link)
    return redirect("account_signup")
