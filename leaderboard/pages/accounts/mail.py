"""`/account/mail/`: which kinds of mail a user gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.pages.shared.access import signed_in
from leaderboard.schemas.choices import MailKind

LABELS: Final[Mapping[MailKind, str | Promise]] = {
    MailKind.DECISIONS: gettext_lazy(
        "Decisions about my registration: accepted, declined, disqualified, an answer to my appeal"
    ),
    MailKind.DATES: gettext_lazy("Changed dates of challenges in which I take part"),
    MailKind.WAITING: gettext_lazy(
        "Registrations and appeals that wait in challenges that I organise"
    ),
}


class MailForm(FormWithSent):
    """One box for each kind of mail, ticked for those that are sent."""

    wanted = forms.MultipleChoiceField(
        label=gettext_lazy("Send me mail about"),
        choices=[(kind.value, label) for kind, label in LABELS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mail_page(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    wanted = [kind.value for kind in MailKind if kind not in user.mail_off]
    form = MailForm(request.POST if request.method == "POST" else None, initial={"wanted": wanted})
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data["wanted"]
        user.mail_off = [kind.value for kind in MailKind if kind not in given]
        user.save(update_fields=["mail_off"])
        messages.success(request, _("Your choice is saved."))
        return redirect("account")
    status = 422 if form.errors else 200
    return render(request, "pages/accounts/mail.html", {"form": form}, status=status)
