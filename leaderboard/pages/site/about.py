"""`/about/`: what this software is, and what it promises."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.version import VERSION


@require_safe
def about_page(request: HttpRequest) -> HttpResponse:
    context = {"version": VERSION, "source_url": settings.SOURCE_URL}
    return render(request, "pages/about.html", context)
