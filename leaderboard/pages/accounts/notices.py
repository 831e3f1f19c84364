"""`/notices/`: what a user is told, and the links of mails that switch it off."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.paging import page_asked, uncounted
from leaderboard.services.notices.reading import mark_read, notices_of, switch_mail_off
from leaderboard.services.notices.texts import path_of, sentence_of

PER_PAGE: Final = 50


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notices_page(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if request.method == "POST":
        mark_read(user)
        messages.success(request, _("All notices are marked as read."))
        return redirect("notices")
    number = page_asked(request)
    start = (number - 1) * PER_PAGE
    rows = list(notices_of(user).order_by("-at", "-pk")[start : start + PER_PAGE + 1])
    shown_rows = [(row, sentence_of(row)) for row in rows[:PER_PAGE]]
    context = {
        "notices": shown_rows,
        "paging": uncounted(number, has_next=len(rows) > PER_PAGE),
        "has_unread": any(row.read_at is None for row, _text in shown_rows),
    }
    return render(request, "pages/accounts/notices.html", context)


@login_required
@never_cache
@require_safe
def notice_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Mark a notice as read, and go where it leads."""
    user = signed_in(request)
    notice = notices_of(user).filter(pk=pk).first()
    if notice is None:
        raise Http404
    mark_read(user, [pk])
    return redirect(path_of(notice))


@csrf_exempt  # programs of mail send the link by themselves (RFC 8058); the token is the proof
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """A GET only asks, because scanners of mail open each link."""
    done = request.method == "POST" and switch_mail_off(token)
    if request.method == "POST" and not done:
        raise Http404
    return render(request, "pages/accounts/unsubscribe.html", {"done": done})
