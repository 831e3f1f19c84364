"""`/c/{slug}/manage/hand-out/`: a card to print and hand out, with the link and the code."""

from __future__ import annotations

from urllib.parse import quote

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.http.links import absolute
from leaderboard.models import Challenge
from leaderboard.pages.accounts.qr import qr_code
from leaderboard.pages.shared.access import is_organiser, organised_or_404
from leaderboard.pages.shared.phases import PhaseEntry, phase_entries
from leaderboard.schemas.choices import RegistrationMode
from leaderboard.services.competition.participants.taking_part import rules_of


@login_required
@never_cache
@require_safe
def hand_out(request: HttpRequest, slug: str) -> HttpResponse:
    """For organisers: reviewers do not read the code."""
    challenge = organised_or_404(request, slug)
    if challenge.is_draft or not is_organiser(request, challenge):
        raise Http404("There is no such page.")
    rules = rules_of(challenge)
    code = rules.code if rules and rules.mode == RegistrationMode.CODE else ""
    address = absolute(request, challenge.get_absolute_url())
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "overview",
        "rules": rules,
        "code": code,
        "address": address,
        "code_page": absolute(request, resolve_url("link")),
        "qr": qr_code(_scanned(request, challenge, code)),
        "phases": [
            phase_entry for phase_entry in phase_entries(challenge) if not _is_over(phase_entry)
        ],
        "sign_up": settings.SIGN_UP,
    }
    return render(request, "pages/manage/hand_out.html", context)


def _is_over(entry: PhaseEntry) -> bool:
    closes_at = entry.phase.closes_at
    return closes_at is not None and closes_at <= timezone.now()


def _scanned(request: HttpRequest, challenge: Challenge, code: str) -> str:
    """Where the picture leads: to the challenge, or to the page that takes its code.

    Only people who may see a private challenge may use its code, so its own page comes first.
    """
    if code and not challenge.is_hidden:
        return f"{absolute(request, resolve_url('link'))}#{quote(code)}"
    return absolute(request, resolve_url("register", slug=challenge.slug))
