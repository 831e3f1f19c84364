"""`/c/{slug}/review/`: reviewers walk through the attempts that wait, one at a time or many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.languages.translation import translated
from leaderboard.models import Attempt
from leaderboard.pages.labels.admission import VERDICTS
from leaderboard.pages.shared.access import challenge_or_404, is_reviewer, signed_in
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.rules.admission.verdicts import of_json
from leaderboard.services.errors import ServiceError
from leaderboard.services.standing.evidence import added_since_return
from leaderboard.services.standing.review import (
    accept_each,
    may_decide,
    open_appeals,
    waiting_for_review,
)

MOST: Final = 100


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def review_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?rule=NAME` shows the attempts that do not meet a rule; `?at=N` the one at a place."""
    challenge = challenge_or_404(request, slug)
    if not is_reviewer(request, challenge):
        raise Http404("There is no such page.")
    if request.method == "POST":
        _accept(request, slug)
        return redirect("review", slug=slug)
    waiting = list(waiting_for_review(challenge)[:MOST])
    rule = request.GET.get("rule", "")
    rules = sorted({name for attempt in waiting for name in _rules(attempt)})
    chosen = [attempt for attempt in waiting if not rule or rule in _rules(attempt)]
    added = added_since_return([attempt.pk for attempt in chosen])
    at = request.GET.get("at", "1")
    place = min(max(int(at) if at.isdecimal() and len(at) < 6 else 1, 1), max(len(chosen), 1))
    entries = [_entry(attempt, added.get(attempt.pk, 0)) for attempt in chosen]
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "review",
        "rule": rule,
        "rules": rules,
        "entries": entries,
        "meets_all": any(entry["is_ok"] for entry in entries),
        "place": place,
        "current": chosen[place - 1] if chosen else None,
        "previous": place - 1,
        "following": place + 1 if place < len(chosen) else 0,
        "appeals": open_appeals(challenge),
        "decides": may_decide(signed_in(request), challenge),
        "total": len(chosen),
    }
    return render(request, "pages/manage/review.html", context)


def _accept(request: HttpRequest, slug: str) -> None:
    challenge = challenge_or_404(request, slug)
    try:
        ids = [UUID(text) for text in request.POST.getlist("attempt")]
        count = accept_each(challenge, ids, by=signed_in(request))
    except ValueError:
        raise Http404("There is no such attempt.") from None
    except ServiceError as refused:
        messages.error(request, refused.message)
        return
    text = ngettext("{count} attempt is accepted.", "{count} attempts are accepted.", count)
    messages.success(request, text.format(count=count))


def _rules(attempt: Attempt) -> Sequence[str]:
    verdict = getattr(attempt, "verdict", None)
    return [finding["rule"] for finding in verdict.findings] if verdict else []


def _entry(attempt: Attempt, added: int) -> dict[str, object]:
    """A line of the list. added: pieces of evidence since the attempt was returned."""
    verdict = getattr(attempt, "verdict", None)
    findings = [of_json(finding) for finding in verdict.findings] if verdict else []
    return {
        "attempt": attempt,
        "verdict": VERDICTS.get(verdict.verdict, "") if verdict else "",
        "added": added,
        "is_ok": verdict is None or verdict.verdict == "ok",
        "findings": [as_sentence(translated(finding.text)) for finding in findings],
    }
