"""`/c/{slug}/announcements/` for everybody, and `/c/{slug}/manage/announcements/` to write them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Announcement, Challenge
from leaderboard.pages.shared.access import challenge_or_404, organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.pages.shared.markdown import to_html
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.competition.organisers.announcements import (
    announce,
    announcements_of,
    change_announcement,
    newest_announcements,
    remove_announcement,
)
from leaderboard.services.errors import ServiceError

PER_PAGE: Final = 20


class AnnouncementForm(FormWithSent):
    """The service checks what is sent, so that errors are those of the API."""

    title = forms.CharField(label=gettext_lazy("Title"), strip=False)
    text = forms.CharField(
        label=gettext_lazy("Text"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=gettext_lazy("Markdown. Everybody who may see the challenge can read it."),
    )


@require_safe
@never_cache
def challenge_announcements(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = challenge_or_404(request, slug)
    page = Paginator(announcements_of(challenge), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "challenge": challenge,
        "tab": "announcements",
        "page": page,
        "announcements": rendered(page),
    }
    return render(request, "pages/announcements.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_announcements(request: HttpRequest, slug: str) -> HttpResponse:
    """`?announcement=ID` shows the form for one that is there."""
    challenge = organised_or_404(request, slug)
    announcement = _asked(challenge, request.GET.get("announcement", ""))
    initial = {"title": announcement.title, "text": announcement.text} if announcement else None
    saves = request.POST.get("action") == "save"
    form = AnnouncementForm(request.POST if saves else None, initial=initial)
    if request.method == "POST" and _done(request, challenge, announcement, form):
        return redirect("manage-announcements", slug=slug)
    page = Paginator(announcements_of(challenge), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "announcements",
        "announcement": announcement,
        "form": form,
        "page": page,
    }
    status = 422 if form.errors else 200
    return render(request, "pages/manage/announcements.html", context, status=status)


def on_the_board(challenge: Challenge) -> PageContext:
    """What a board shows of announcements: the newest ones, and whether there are more."""
    if not getattr(challenge, "has_announcements", True):
        return {"announcements": [], "more_announcements": False}
    newest, more = newest_announcements(challenge)
    return {"announcements": rendered(newest), "more_announcements": more}


def rendered(announcements: Iterable[Announcement]) -> list[tuple[Announcement, SafeString]]:
    """Announcements with their texts as HTML."""
    return [(announcement, to_html(announcement.text)) for announcement in announcements]


def _asked(challenge: Challenge, pk: str) -> Announcement | None:
    if not pk:
        return None
    try:
        announcement = announcements_of(challenge).filter(pk=UUID(pk)).first()
    except ValueError:
        announcement = None
    if announcement is None:
        raise Http404("There is no such announcement.")
    return announcement


def _done(
    request: HttpRequest,
    challenge: Challenge,
    announcement: Announcement | None,
    form: AnnouncementForm,
) -> bool:
    """Do what was asked for; False with the errors in the form."""
    user = signed_in(request)
    match request.POST.get("action"):
        case "save":
            if not form.is_valid():
                return False
            # Browsers end lines with two characters, programs with one.
            text = form.cleaned_data["text"].replace("\r\n", "\n")
            fields = {**form.cleaned_data, "text": text}
            try:
                if announcement is None:
                    announce(challenge, fields, by=user)
                else:
                    change_announcement(announcement, fields, by=user)
            except ServiceError as refused:
                explain(form, refused)
                return False
            messages.success(request, _("The announcement is saved."))
        case "remove" if announcement:
            remove_announcement(announcement, by=user)
            messages.success(request, _("The announcement is deleted."))
        case _:
            raise Http404("There is no such action.")
    return True
