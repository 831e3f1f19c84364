"""Pages for users' own accounts: name, sessions, download of data, deletion."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from allauth.account.internal.flows.reauthentication import (
    is_reauthentication_required,
    raise_if_reauthentication_required,
)
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import User
from leaderboard.pages.shared.access import signed_in
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.user_agents import browser_and_system
from leaderboard.services.accounts.erase import erase_account, why_not_erased
from leaderboard.services.accounts.own_data import own_data

if TYPE_CHECKING:
    UserForm = forms.ModelForm[User]
else:
    UserForm = forms.ModelForm

REAUTHENTICATION = "allauth.account"


class NameForm(FormWithSent, UserForm):
    class Meta:
        model = User
        fields = ["first_name", "last_name"]


class DeleteForm(FormWithSent):
    """The username, entered again to confirm."""

    username = forms.CharField(
        label=gettext_lazy("Type your username to delete the account"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, user: User, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.user = user

    def clean_username(self) -> str:
        username = str(self.cleaned_data["username"])
        if username != self.user.username:
            text = _("must be your username; got {sent}")
            raise forms.ValidationError(text.format(sent=sent(username)))
        return username


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def name_page(request: HttpRequest) -> HttpResponse:
    form = NameForm(request.POST or None, instance=signed_in(request))
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Your name is saved."))
        return redirect("account")
    status = 422 if form.errors else 200
    return render(request, "pages/accounts/name.html", {"form": form}, status=status)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sessions_page(request: HttpRequest) -> HttpResponse:
    """Show the user's sessions. The form ends one other session, or all others."""
    UserSession.objects.create_from_request(request)  # an older session is not listed yet
    rows = _open_sessions(signed_in(request))
    this = request.session.session_key
    if request.method == "POST":
        wanted = request.POST.get("session", "")
        for row in rows:
            if row.session_key != this and wanted in (str(row.pk), "others"):
                _end(row)
        return redirect("account-sessions")
    sessions = [
        {
            "row": row,
            "is_this": row.session_key == this,
            "browser": _browser_of(row.user_agent),
        }
        for row in rows
    ]
    return render(request, "pages/accounts/sessions.html", {"sessions": sessions})


@login_required
@never_cache
@require_GET
def data_page(request: HttpRequest) -> StreamingHttpResponse:
    """All data of the user as a file of JSON lines."""
    raise_if_reauthentication_required(request, app=REAUTHENTICATION)
    headers = {"Content-Disposition": 'attachment; filename="my-data.jsonl"'}
    lines = own_data(signed_in(request))
    return StreamingHttpResponse(lines, content_type="application/jsonl", headers=headers)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_page(request: HttpRequest) -> HttpResponse:
    """Delete the account of the signed-in user; no other account can be chosen.

    A form sent before the user has authenticated again is discarded: django-allauth would keep it
    and send it at any later authentication.
    """
    is_unconfirmed = is_reauthentication_required(request, app=REAUTHENTICATION)
    if request.method == "POST" and is_unconfirmed:
        return redirect("account-delete")
    raise_if_reauthentication_required(request, app=REAUTHENTICATION)
    user = signed_in(request)
    reason = why_not_erased(user)
    form = DeleteForm(user, request.POST or None)
    if request.method == "POST" and not reason and form.is_valid():
        for row in UserSession.objects.filter(user=user):
            _end(row)
        logout(request)
        erase_account(user)
        messages.success(request, _("Your account is deleted."))
        return redirect("challenges")
    context = {"form": form, "reason": reason}
    status = 422 if form.errors else 200
    return render(request, "pages/accounts/delete.html", context, status=status)


def _open_sessions(user: User) -> list[UserSession]:
    rows = list(UserSession.objects.filter(user=user).order_by("-created_at"))
    keys = [row.session_key for row in rows]
    stored = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    open_keys = set(stored.values_list("session_key", flat=True))
    return [row for row in rows if row.session_key in open_keys]


def _browser_of(user_agent: str) -> str:
    """The names of browser and system; the raw User-Agent if they are unknown."""
    browser, system = browser_and_system(user_agent)
    if browser and system:
        return _("{browser} on {system}").format(browser=browser, system=system)
    return browser or user_agent or _("Unknown browser")


def _end(row: UserSession) -> None:
    import_module(settings.SESSION_ENGINE).SessionStore(row.session_key).delete()
    row.delete()
