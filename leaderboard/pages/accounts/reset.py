"""`/password/reset/`: sends a link by mail to users who lost their password."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from django import forms
from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.template.loader import render_to_string
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.cache.rates import wait_for
from leaderboard.forms.errors import FormWithSent
from leaderboard.http.links import absolute
from leaderboard.messages.mail import run_soon
from leaderboard.models import OneTimeLink, User
from leaderboard.services.accounts.one_time_links import make_link

PER_USER = "5/h"
LIFETIME = timedelta(hours=3)
MOST_ACCOUNTS = 5
"""The most accounts of one address. Users with more enter a username."""


class LostForm(FormWithSent):
    who = forms.CharField(
        label=gettext_lazy("Username or e-mail address"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset_page(request: HttpRequest) -> HttpResponse:
    """Give the same answer for every name; a thread does the work that depends on the name."""
    sends = not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")
    form = LostForm(request.POST or None)
    if sends and request.method == "POST" and form.is_valid():
        who = form.cleaned_data["who"]
        page, language = absolute(request, resolve_url("link")), get_language()
        run_soon(lambda: _send_links(who, page, language))
        return render(request, "pages/accounts/reset_sent.html")
    status = 422 if form.errors else 200
    return render(
        request, "pages/accounts/reset.html", {"form": form, "sends": sends}, status=status
    )


def _send_links(who: str, page: str, language: str | None) -> None:
    for user in _called(who):
        address = _address(user)
        if address and not wait_for(PER_USER, f"reset:{user.pk}"):
            purpose = OneTimeLink.Purpose.PASSWORD
            _link, code = make_link(purpose, by=None, user=user, lifetime=LIFETIME)
            with override(user.language or language):
                _message(user, address, f"{page}#{code}").send()


def _called(who: str) -> list[User]:
    """The users with a name or an address; confirmed addresses come before others."""
    active = User.objects.filter(is_active=True)
    if "@" not in who:
        return list(active.filter(username=who))
    confirmed = EmailAddress.objects.filter(verified=True)
    named = active.filter(pk__in=confirmed.filter(email__iexact=who).values("user"))
    if not named:
        named = active.filter(Q(email__iexact=who) | Q(username=who))
        named = named.exclude(pk__in=confirmed.values("user"))
    return list(named[:MOST_ACCOUNTS])


def _address(user: User) -> str:
    confirmed = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary").first()
    return confirmed.email if confirmed else user.email


def _message(user: User, address: str, link: str) -> EmailMessage:
    context = {"name": user.username, "link": link, "site_title": settings.SITE_NAME}
    body = render_to_string("account/email/password_message.txt", context)
    subject = settings.ACCOUNT_EMAIL_SUBJECT_PREFIX + _("Choose a new password")
    return EmailMessage(subject, body.strip(), to=[address])
