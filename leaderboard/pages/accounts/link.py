"""`/link/#CODE`: the page of a one-time link. Opening it shows a form; posting the form uses it."""

from __future__ import annotations

from dataclasses import dataclass

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

from leaderboard.auth.signing_in import sign_in
from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge, OneTimeLink, User
from leaderboard.pages.accounts.forms import NewPasswordForm
from leaderboard.pages.accounts.invitation import (
    keep_class_code,
    keep_invitation,
    where_it_leads,
    with_next,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.forms import with_status
from leaderboard.pages.shared.registration_form import AnswersForm
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.accounts.one_time_links import (
    accept_invitation,
    end_links_of,
    open_link,
    use_link,
)
from leaderboard.services.accounts.team_links import join_by_link
from leaderboard.services.competition.participants.class_codes import challenges_with_code
from leaderboard.services.errors import ServiceError

_Purpose = OneTimeLink.Purpose


class CodeForm(FormWithSent):
    """The code of a link: a script copies it from the address, or the user types it."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=100,
        help_text=gettext_lazy("What follows the # in your link, or the code on your sheet."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


@dataclass(frozen=True, slots=True)
class ClassChoice:
    """A challenge with the typed code: where people register, sign in and sign up for it."""

    challenge: Challenge
    register: str
    sign_in: str
    sign_up: str


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def link_page(request: HttpRequest) -> HttpResponse:
    form = CodeForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return _asked(request, form)
    code = form.cleaned_data["code"]
    try:
        link = open_link(code)
        return _used(request, link, code) if link else _of_class(request, code)
    except ServiceError as refused:
        form.add_error("code", refused.message)
        form.retry_after = refused.retry_after
        return _asked(request, form)


def _asked(request: HttpRequest, form: CodeForm) -> HttpResponse:
    return with_status(render(request, "pages/accounts/link.html", {"form": form}), form)


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
        return redirect(where_it_leads(link) or resolve_url("account"))
    if settings.SIGN_UP == "off":
        return render(request, "account/signup_closed.html", status=403)
    keep_invitation(request, link)
    return redirect(with_next("account_signup", where_it_leads(link)))


def _of_class(request: HttpRequest, code: str) -> HttpResponse:
    """Lead to the challenges with this code, after an account. Raises ServiceError without any."""
    user = signed_in(request) if request.user.is_authenticated else None
    challenges = challenges_with_code(code, user)
    if not challenges:
        raise ServiceError("not_found", _unknown(request))
    choices = [_choice(challenge) for challenge in challenges]
    keep_class_code(request, code, choices[0].register if len(choices) == 1 and not user else "")
    if user and len(choices) == 1:
        return redirect(choices[0].register)
    context: PageContext = {
        "choices": choices,
        "is_open": settings.SIGN_UP == "open",
        "is_signed_in": user is not None,
    }
    return render(request, "pages/accounts/class_code.html", context)


def _choice(challenge: Challenge) -> ClassChoice:
    page = resolve_url("register", slug=challenge.slug)
    sign_in_page, sign_up_page = with_next("login", page), with_next("account_signup", page)
    return ClassChoice(challenge, page, sign_in_page, sign_up_page)


def _unknown(request: HttpRequest) -> str:
    """What is wrong with a code, without a hint at whether it was ever valid."""
    if request.user.is_authenticated:
        return _("This is the code of no challenge, and of no link that still works.")
    return _(
        "This is the code of no challenge that everybody sees, and of no link that still works. If "
        "you have an account, sign in first."
    )
