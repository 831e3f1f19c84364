"""`/account/mail/`: how a user is told of each kind of notice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

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
from leaderboard.models import User
from leaderboard.pages.shared.access import signed_in
from leaderboard.rules.texts.local_times import known_zones
from leaderboard.schemas.choices import NoticeKind, NoticeWay
from leaderboard.services.notices.reading import choose_ways, muted_by, told_challenges

MOST_LISTED: Final = 200
LABELS: Final[Mapping[NoticeKind, str | Promise]] = {
    NoticeKind.ATTEMPTS: gettext_lazy("Results of my attempts"),
    NoticeKind.RANKS: gettext_lazy("My rank has fallen beyond its interval"),
    NoticeKind.DECISIONS: gettext_lazy(
        "Decisions about my registration and attempts: accepted, declined, disqualified, returned"
    ),
    NoticeKind.ANNOUNCEMENTS: gettext_lazy("Announcements of challenges in which I take part"),
    NoticeKind.DATES: gettext_lazy("Changed dates of challenges in which I take part"),
    NoticeKind.WAITING: gettext_lazy(
        "Registrations and appeals that wait in challenges that I organise"
    ),
    NoticeKind.HELD: gettext_lazy("Attempts that are held in challenges that I organise"),
}
WAYS: Final[Mapping[NoticeWay, str | Promise]] = {
    NoticeWay.OFF: gettext_lazy("Not at all"),
    NoticeWay.PAGE: gettext_lazy("On the page of notices"),
    NoticeWay.DAILY: gettext_lazy("By a daily mail as well"),
    NoticeWay.NOW: gettext_lazy("By mail at once as well"),
}


class MailForm(FormWithSent):
    """A choice for each kind of notice, and the zone of daily mail."""

    def __init__(self, user: User, data: Mapping[str, object] | None = None) -> None:
        ways = {kind.value: user.way_of(kind).value for kind in NoticeKind}
        super().__init__(data, initial={**ways, "time_zone": user.time_zone or "UTC"})
        choices = [(way.value, label) for way, label in WAYS.items()]
        for kind, label in LABELS.items():
            self.fields[kind.value] = forms.ChoiceField(label=str(label), choices=choices)
        self.fields["time_zone"] = forms.ChoiceField(
            label=gettext_lazy("Time zone"),
            help_text=gettext_lazy("Daily mail arrives at 8 o'clock."),
            choices=[(zone, zone) for zone in sorted(known_zones())],
        )
        challenges = [(row.pk.hex, row.name) for row in told_challenges(user)[:MOST_LISTED]]
        if challenges:
            self.fields["muted"] = forms.MultipleChoiceField(
                label=gettext_lazy("Challenges of which I want to hear nothing"),
                choices=challenges,
                initial=[challenge.hex for challenge in muted_by(user)],
                widget=forms.CheckboxSelectMultiple,
                required=False,
            )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mail_page(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = MailForm(user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        ways = {kind: NoticeWay(given[kind]) for kind in NoticeKind}
        choose_ways(user, ways, [UUID(pk) for pk in given.get("muted", ())], given["time_zone"])
        messages.success(request, _("Your choice is saved."))
        return redirect("account")
    status = 422 if form.errors else 200
    return render(request, "pages/accounts/mail.html", {"form": form}, status=status)
