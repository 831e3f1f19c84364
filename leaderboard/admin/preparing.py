"""Prepares metric scripts in the background before a challenge is saved, and shows the progress.

The page holds the input of the form and posts it again when all scripts are ready. So no input is
lost, and the ordinary view saves the challenge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin.challenge_form import ChallengeForm
from leaderboard.admin.stored_file import FORGET, STORED
from leaderboard.models import Challenge
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.challenges.metric_fields import checked_specs
from leaderboard.services.errors import ServiceError
from leaderboard.services.scripts.metric_scripts import (
    PreparationState,
    Watched,
    begin_scripts,
    installed_for,
    progress_of,
    watch_scripts,
)

if TYPE_CHECKING:
    Page = ModelAdmin[Challenge]
    """The page of challenges in the admin."""

WATCHED = "_watched"
"""Posted by the page that waits, so that a refused script is reported and not prepared again."""

_NOT_TYPED = ("csrfmiddlewaretoken", WATCHED, STORED, FORGET)


def waited_for(request: HttpRequest, form: ChallengeForm) -> list[Watched]:
    """Begin to prepare the scripts that a save needs; returns those that are not ready yet.

    Adds errors to the form.
    """
    if not form.is_valid():
        return []
    wait_for = watch_scripts if WATCHED in request.POST else begin_scripts
    try:
        return wait_for(checked_specs(form.metrics_to_check()))
    except ServiceError as refused:
        form.refuse(refused)
        return []


def waiting_page(
    page: Page,
    request: HttpRequest,
    challenge: Challenge | None,
    form: ChallengeForm,
    watched: list[Watched],
) -> HttpResponse:
    """The page that replaces a save; it contains the posted fields and the key of a posted file."""
    typed = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in _NOT_TYPED
        for value in values
    ]
    typed += [(STORED, form.chosen_file.token)] if form.chosen_file else []
    context = {
        **page.admin_site.each_context(request),
        "title": gettext_lazy("Preparing metric scripts"),
        "opts": page.opts,
        "original": challenge,
        "typed": typed,
        "kept": form.chosen_file,
        **_progress_context(watched),
    }
    template = "admin/leaderboard/challenge/preparing_page.html"
    return TemplateResponse(request, template, context)


def state(request: HttpRequest) -> HttpResponse:
    """The part of the page that shows the progress of the scripts whose keys are posted."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    asked = zip(request.POST.getlist("script"), request.POST.getlist("name"), strict=False)
    watched = [Watched(key, name, progress_of(key)) for key, name in asked]
    return render(request, "admin/leaderboard/challenge/preparing.html", _progress_context(watched))


def announce_installed(page: Page, request: HttpRequest, challenge: Challenge) -> None:
    """Show a message with the packages installed for the scripts of a saved challenge."""
    scripts = installed_for(challenge.newest.metric_specs)
    if scripts:
        lines = format_html_join(
            "", "<br>{}: {}", ((script.name, script.summary) for script in scripts)
        )
        text = format_html("{}{}", _("The metric scripts are prepared."), lines)
        page.message_user(request, text, messages.INFO)


def _progress_context(watched: list[Watched]) -> PageContext:
    return {"scripts": watched, "state": _state_of([script.progress.state for script in watched])}


def _state_of(states: list[PreparationState]) -> PreparationState:
    """The state of all scripts together: ready if all are, else that of an unfinished one.

    A refused script comes first, then a running one, then an abandoned one.
    """
    order: tuple[PreparationState, ...] = ("refused", "running", "abandoned")
    return next((state for state in order if state in states), "ready")
