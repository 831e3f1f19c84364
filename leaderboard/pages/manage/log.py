"""`/c/{slug}/manage/log/`: organisers read who changed what, before and after."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.models import AuditEntry
from leaderboard.pages.labels.changes import changed_fields
from leaderboard.pages.shared.access import organised_or_404
from leaderboard.services.competition.audit import entries_of

PER_PAGE: Final = 50


@login_required
@never_cache
@require_safe
def manage_log(request: HttpRequest, slug: str) -> HttpResponse:
    """`?kind=phase` shows the entries of one kind, `?page=2` earlier ones."""
    challenge = organised_or_404(request, slug)
    kind = request.GET.get("kind", "")
    if kind and kind not in AuditEntry.Kind.values:
        raise Http404("There is no such kind.")
    page = Paginator(entries_of(challenge.pk, kind), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "log",
        "kind": kind,
        "kinds": AuditEntry.Kind.choices,
        "page": page,
        "entries": [(entry, changed_fields(entry)) for entry in page],
    }
    return render(request, "pages/manage/log.html", context)
