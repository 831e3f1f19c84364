"""What rules and people say of an attempt, how it was run, and the forms of those who decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, Decision, User
from leaderboard.pages.labels.admission import DECIDED, STANDINGS, VERDICTS, run_lines
from leaderboard.pages.shared.access import attempt_or_404, signed_in
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.schemas.decisions import DECISION
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.services.attempts.reading import Reading
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.decisions import decide_about
from leaderboard.services.standing.evidence import added_since_return
from leaderboard.services.standing.reports import report_of, run_facts_of


@dataclass(frozen=True)
class ShownFinding:
    """A finding as a sentence, the names of its samples, and how many more there are."""

    verdict: str
    text: str
    places: Sequence[str]
    more: int
    other: str


@dataclass(frozen=True)
class ShownDecision:
    """A decision in words. can_appeal, can_undo, can_answer: what the reader may do about it."""

    decision: Decision
    label: str
    place: str
    before: str
    after: str
    can_appeal: bool
    can_undo: bool
    can_answer: bool


def admission_of(
    attempt: Attempt, reading: Reading, access: Access, reader: User | None
) -> PageContext:
    """The part of the page about the admission of an attempt."""
    organiser = reading.organiser
    shows = attempt.challenge.shown.shows(attempt.phase_id)
    hidden = reading.score_hidden or reading.status_hidden or not access.sees_evidence(attempt)
    report = report_of(
        attempt,
        reader,
        organiser=organiser,
        is_hidden=hidden,
        sees_attempts=access.sees_all_attempts(attempt),
        shows=shows,
    )
    open_facts = organiser or not hidden
    run, samples = run_facts_of(attempt.pk, shows) if open_facts else ({}, {})
    undone = {decision.undoes_id for decision in report.decisions}
    answered = {
        (one.after or {}).get("decision") for one in report.decisions if one.kind == "answered"
    }

    def in_words(decision: Decision) -> ShownDecision:
        before, after = (
            ", ".join(_scores(numbers)) for numbers in (decision.before, decision.after)
        )
        is_open = decision.pk not in undone
        undoable = decision.kind in (*Decision.RULINGS, "accepted", "returned")
        return ShownDecision(
            decision,
            str(decision.get_kind_display()),
            f"{decision.task}, {decision.sample}" if decision.task else "",
            before if organiser or reading.is_exact else "",
            after if organiser or reading.is_exact else "",
            decision.pk in report.appealable,
            report.decides and is_open and undoable,
            report.decides and decision.kind == "appealed" and decision.pk not in answered,
        )

    return {
        "admission": report,
        "admission_verdict": VERDICTS.get(report.verdict, ""),
        "admission_standing": STANDINGS.get(report.standing, ""),
        "findings": list(map(_finding, report.findings)),
        "decisions": list(map(in_words, report.decisions)),
        "run_lines": list(run_lines(run, samples)),
        "new_evidence": added_since_return([attempt.pk]).get(attempt.pk, 0)
        if report.decides
        else 0,
    }


@require_POST
@login_required
def attempt_decisions(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Decide about an attempt, or answer a decision; goes back to the attempt, or to `next`."""
    attempt = attempt_or_404(request, pk)
    try:
        body = checked(DECISION, _sent(request))
        decide_about(attempt, body, by=signed_in(request))
    except SchemaError as error:
        messages.error(request, translated(error.message))
    except ServiceError as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, str(DECIDED.get(body.kind, _("It is saved."))))
    return redirect(_next(request) or attempt.get_absolute_url())


def _sent(request: HttpRequest) -> dict[str, object]:
    """The form's fields as the API would be sent them."""
    posted = request.POST
    numbers = {
        name: int(posted[name])
        for name in ("sample", "decision")
        if posted.get(name, "").isdecimal() and len(posted[name]) < 16
    }
    texts = {
        name: posted[name].strip() for name in ("kind", "reason", "note", "task") if name in posted
    }
    return {**texts, **numbers}


def _next(request: HttpRequest) -> str:
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts=None)
    return target if is_ours and target.startswith("/") else ""


def _finding(finding: Finding) -> ShownFinding:
    places = [_place(task, number) for task, number in finding.samples]
    more = finding.total - len(places)
    verdict = str(VERDICTS[finding.verdict])
    return ShownFinding(verdict, as_sentence(translated(finding.text)), places, more, finding.other)


def _place(task: str, number: int | None) -> str:
    return task if number is None else _("{task}, sample {number}").format(task=task, number=number)


def _scores(numbers: object) -> Iterator[str]:
    """The scores that a decision keeps: those of the newest scoring version."""
    if not isinstance(numbers, dict):
        return
    for kept in list(numbers.values())[-1:]:
        if isinstance(kept, dict) and "metrics" in kept:
            for name, value in kept["metrics"].items():
                yield f"{name} {value:.6g}" if isinstance(value, int | float) else f"{name} –"
