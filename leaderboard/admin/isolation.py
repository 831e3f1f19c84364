"""The page that shows which attacks the sandbox stops on this server, and which it does not."""

from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy

from leaderboard.admin.scoped import organised_ids
from leaderboard.services.plugins.isolation import worker_reports


def isolation_page(request: HttpRequest) -> TemplateResponse:
    """Show the results of each host's workers, which attack their own sandbox."""
    if not organised_ids(request):
        raise PermissionDenied
    context = {
        **admin.site.each_context(request),
        "title": gettext_lazy("Isolation of scorers"),
        "reports": worker_reports(),
    }
    return TemplateResponse(request, "admin/isolation.html", context)
