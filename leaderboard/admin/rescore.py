"""Rescoring from the admin: one page asks for confirmation, another shows the progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.admin.scoped import user_of
from leaderboard.languages.translation import count_text
from leaderboard.models import Challenge
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.challenges.rescores import progress_of
from leaderboard.services.scoring.rescoring import start_rescore

if TYPE_CHECKING:
    Page = ModelAdmin[Challenge]
    """The page of challenges in the admin."""


def confirm(page: Page, request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """Ask for confirmation (GET), or begin the rescore (POST)."""
    if request.method != "POST":
        return TemplateResponse(
            request,
            "admin/leaderboard/challenge/rescore.html",
            _context(page, request, challenge, _("Rescore")),
        )
    config, total = start_rescore(challenge, user=user_of(request))
    text = _("Rescoring under scoring version {number}. Attempts: {total}.").format(
        number=config.number, total=count_text(total)
    )
    page.log_change(request, challenge, text)
    page.message_user(request, text, messages.SUCCESS)
    return HttpResponseRedirect(
        reverse("admin:leaderboard_challenge_progress", args=[challenge.pk])
    )


def progress(page: Page, request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """Show a rescore's progress: a part of a page for htmx, else a page that reloads itself."""
    whole = "HX-Request" not in request.headers
    template = "progress_page.html" if whole else "progress.html"
    return TemplateResponse(
        request,
        f"admin/leaderboard/challenge/{template}",
        _context(page, request, challenge, _("Rescore")),
    )


def _context(page: Page, request: HttpRequest, challenge: Challenge, title: str) -> PageContext:
    return {
        **page.admin_site.each_context(request),
        "title": title,
        "subtitle": str(challenge),
        "opts": page.opts,
        "original": challenge,
        "shown": challenge.shown,
        "newest": challenge.newest,
        "progress": progress_of(challenge.newest),
    }
