"""Organisers verify an attempt, and annotate it, on its page."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.models import Attempt
from leaderboard.pages.shared.access import attempt_or_404, is_organiser, signed_in
from leaderboard.services.competition.organisers.marks import (
    annotate,
    remove_annotation,
    unverify,
    verify,
)
from leaderboard.services.errors import ServiceError


@require_POST
@login_required
def attempt_verification(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Mark an attempt as verified; with `remove`, remove the mark."""
    attempt, user = _organised(request, pk), signed_in(request)
    if "remove" in request.POST:
        return _done(request, pk, lambda: unverify(attempt, by=user), _("The mark is removed."))
    fields = {"by": request.POST.get("by", ""), "link": request.POST.get("link", "")}
    text = _("The attempt is marked as verified.")
    return _done(request, pk, lambda: verify(attempt, fields, by=user), text)


@require_POST
@login_required
def attempt_annotations(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Note something about an attempt; with `remove`, delete the note with this id."""
    attempt, user = _organised(request, pk), signed_in(request)
    if "remove" in request.POST:
        note = _id(request.POST["remove"])
        return _done(
            request,
            pk,
            lambda: remove_annotation(attempt, note, by=user),
            _("The note is deleted."),
        )
    text = request.POST.get("text", "").replace("\r\n", "\n")
    fields = {"text": text, "public": "public" in request.POST}
    return _done(request, pk, lambda: annotate(attempt, fields, by=user), _("The note is saved."))


def _organised(request: HttpRequest, pk: UUID) -> Attempt:
    attempt = attempt_or_404(request, pk)
    if not is_organiser(request, attempt.challenge):
        raise Http404("There is no such page.")
    return attempt


def _done(request: HttpRequest, pk: UUID, change: Callable[[], object], text: str) -> HttpResponse:
    """Change something and go back to the attempt; errors become messages."""
    try:
        change()
    except ServiceError as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, text)
    return redirect("attempt", pk=pk)


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404("There is no such note.") from None
