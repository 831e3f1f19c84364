"""`/device/`: a user agrees to the token that a program without a browser asks for."""

from __future__ import annotations

from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.cache.rates import wait_for
from leaderboard.models import User
from leaderboard.pages.accounts.tokens import TokenForm
from leaderboard.pages.shared.access import signed_in
from leaderboard.services.accounts.device_logins import (
    AgreedToken,
    DeviceLogin,
    asked_login,
    decide_login,
)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def device_page(request: HttpRequest) -> HttpResponse:
    """`?code=` is what the program shows; without a valid one, a form asks for it."""
    user = signed_in(request)
    code = (request.POST if request.method == "POST" else request.GET).get("code", "")[:40]
    asked = _asked(user, code)
    if asked is None:
        status = 422 if code else 200
        return render(request, "pages/device.html", {"code": code}, status=status)
    if request.method == "POST":
        if is_mfa_enabled(user):
            # A token is a way in without the second factor.
            raise_if_reauthentication_required(request, app="allauth.mfa")
        form = TokenForm(user, request.POST)
        if "refuse" in request.POST or form.is_valid():
            return _decided(request, code, None if "refuse" in request.POST else form, user)
    else:
        form = _form(user, asked)
    context = {"code": code, "asked": asked, "form": form}
    return render(request, "pages/device.html", context, status=422 if form.errors else 200)


def _asked(user: User, code: str) -> DeviceLogin | None:
    """What a program asks for. None for a wrong code, and for all of them after many wrong ones."""
    if not code or wait_for(settings.THROTTLE_SIGN_IN, f"device-code:{user.pk}"):
        return None
    return asked_login(code)


def _form(user: User, asked: DeviceLogin) -> TokenForm:
    form = TokenForm(user)
    form.initial.update({"name": asked.name, "scopes": asked.scopes})
    return form


def _decided(request: HttpRequest, code: str, form: TokenForm | None, user: User) -> HttpResponse:
    """Keep the decision. form: a valid one; None for a refusal."""
    if not decide_login(code, None if form is None else agreed_in(form, user)):
        messages.error(request, _("This code has expired. Start the program again."))
    elif form is None:
        messages.success(request, _("The program gets no token."))
    else:
        messages.success(request, _("The program now has its token. You can close this page."))
    return redirect("account")


def agreed_in(form: TokenForm, user: User) -> AgreedToken:
    """The token of a valid form, with ids in place of rows."""
    asked, days = form.asked(), form.cleaned_data["lifetime"]
    ids = {
        name: row.pk if (row := asked[name]) is not None else None
        for name in ("tenant", "challenge", "participant")
    }
    return {
        "user": user.pk,
        "name": str(asked["name"]),
        "scopes": list(asked["scopes"]),
        "tenant": ids["tenant"],
        "challenge": str(ids["challenge"]) if ids["challenge"] else None,
        "participant": ids["participant"],
        "days": int(days) if days else None,
    }
