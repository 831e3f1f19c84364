"""Metric scripts are prepared before a challenge is saved: in the background, watched on a page.

The page holds what was typed and posts it again when nothing is under way any more. So nothing is
lost, and what saves is the ordinary save.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join

from leaderboard.admin.challenge_form import ChallengeForm
from leaderboard.admin.stored_file import FORGET, KEPT
from leaderboard.models import Challenge
from leaderboard.services.challenges.metric_fields import checked_specs
from leaderboard.services.errors import ServiceError
from leaderboard.services.scripts.metric_scripts import (
    State,
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
"""Posted by the page that waits, so that what was refused is said and not tried once more."""

_NOT_TYPED = ("csrfmiddlewaretoken", WATCHED, KEPT, FORGET)


def waited_for(request: HttpRequest, form: ChallengeForm) -> list[Watched]:
    """The scripts that a save of what was typed has to wait for; they are prepared from now on.

    What is refused is put on the form.
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
    found: list[Watched],
) -> HttpResponse:
    """The page in place of a save; it holds what was posted, and what names a file that was."""
    typed = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in _NOT_TYPED
        for value in values
    ]
    typed += [(KEPT, form.kept.token)] if form.kept else []
    context = {
        **page.admin_site.each_context(request),
        "title": "Preparing metric scripts",
        "opts": page.opts,
        "original": challenge,
        "typed": typed,
        "kept": form.kept,
        **_seen(found),
    }
    template = "admin/leaderboard/challenge/preparing_page.html"
    return TemplateResponse(request, template, context)


def state(request: HttpRequest) -> HttpResponse:
    """How far the scripts are whose keys are posted: the piece of the page that changes."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    asked = zip(request.POST.getlist("script"), request.POST.getlist("name"), strict=False)
    found = [Watched(key, name, progress_of(key)) for key, name in asked]
    return render(request, "admin/leaderboard/challenge/preparing.html", _seen(found))


def announce_installed(page: Page, request: HttpRequest, challenge: Challenge) -> None:
    """Say what was installed for the scripts of a challenge that was saved."""
    found = installed_for(challenge.newest.metric_specs)
    if found:
        lines = format_html_join("", "<br>{}: {}", ((each.name, each.summary) for each in found))
        text = format_html("The metric scripts are prepared.{}", lines)
        page.message_user(request, text, messages.INFO)


def _seen(found: list[Watched]) -> dict[str, Any]:
    return {"scripts": found, "state": _state_of([each.progress.state for each in found])}


def _state_of(states: list[State]) -> State:
    """Of all together: one that is refused ends the waiting, else all are waited for."""
    order: tuple[State, ...] = ("refused", "running", "abandoned")
    return next((each for each in order if each in states), "ready")
