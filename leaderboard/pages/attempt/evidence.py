"""`/attempts/{id}/evidence/`: the evidence of an attempt, and a form to add some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, Evidence, EvidenceFile
from leaderboard.pages.shared.access import access_in, attempt_or_404, is_reviewer, signed_in
from leaderboard.pages.shared.paging import counted, page_asked
from leaderboard.rules.admission.standing import AttemptStanding
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.schemas.evidence import NEW_EVIDENCE
from leaderboard.services.competition.decisions import DecisionKind, decisions_about
from leaderboard.services.errors import ServiceError
from leaderboard.services.standing.evidence import (
    LARGEST,
    SentEvidence,
    add_evidence,
    may_add,
    visible_evidence,
)

FILES_PER_PAGE = 200
MOST_PLACES = 1000
"""Samples among which the form suggests."""


class ShownFile(NamedTuple):
    """A line of the list. host: of a link. is_new: added since the attempt was returned last."""

    file: EvidenceFile
    label: str
    host: str
    is_new: bool


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def evidence_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    attempt = attempt_or_404(request, pk)
    adds = request.user.is_authenticated and may_add(signed_in(request), attempt)
    if request.method == "POST":
        if not adds:
            raise Http404("There is no such form.")
        _add(request, attempt)
        return redirect("evidence", pk=pk)
    files = readable_evidence(request, attempt)
    total = files.count()
    if not (total or adds):
        raise Http404("There is no evidence.")
    paging = counted(page_asked(request), total, FILES_PER_PAGE)
    first = (paging.number - 1) * FILES_PER_PAGE
    context = {
        "attempt": attempt,
        "challenge": attempt.challenge,
        "participant": access_in(request, attempt.challenge).participant(
            attempt.participant, attempt.phase_id
        ),
        "files": list(_listed(attempt, files[first : first + FILES_PER_PAGE])),
        "paging": paging,
        "adds": adds,
        "places": list(_places(attempt)) if adds else [],
        "kinds": EvidenceFile.Kind.choices,
        "most": LARGEST,
        "most_text": LARGEST >> 20,
        "is_returned": attempt.standing == AttemptStanding.RETURNED,
    }
    return render(request, "pages/evidence.html", context)


def readable_evidence(request: HttpRequest, attempt: Attempt) -> QuerySet[EvidenceFile]:
    """The evidence of an attempt that the reader of a page may see."""
    return visible_evidence(
        attempt,
        access_in(request, attempt.challenge),
        reader=signed_in(request) if request.user.is_authenticated else None,
        organiser=is_reviewer(request, attempt.challenge),
    )


def _listed(attempt: Attempt, files: QuerySet[EvidenceFile]) -> Iterator[ShownFile]:
    returned = returned_at(attempt)
    for file in files:
        host = urlsplit(file.url).hostname or ""
        is_new = returned is not None and file.added_at > returned
        yield ShownFile(file, str(file.get_kind_display()), host, is_new)


def returned_at(attempt: Attempt) -> datetime | None:
    """When an attempt was returned last; None if it never was."""
    returns = decisions_about(attempt).filter(kind=DecisionKind.RETURNED)
    return returns.order_by("-at").values_list("at", flat=True).first()


def _places(attempt: Attempt) -> Iterator[tuple[str, str]]:
    """Values and labels of the samples to which evidence may belong, without private tasks."""
    evidence = Evidence.objects.filter(attempt=attempt.pk).first()
    shows = attempt.challenge.shown.shows(attempt.phase_id)
    samples = [
        sample
        for sample in (evidence.read() if evidence else ())
        if shows is None or shows(sample.task)
    ]
    text = _("{task}, sample {number}")
    for sample in samples[:MOST_PLACES]:
        yield f"{sample.sample} {sample.task}", text.format(task=sample.task, number=sample.sample)


def _add(request: HttpRequest, attempt: Attempt) -> None:
    upload: UploadedFile[Any] | None = request.FILES.get("file")
    file = SentEvidence(upload.name or "file", upload) if upload else None
    try:
        body = checked(NEW_EVIDENCE, _sent(request.POST))
        add_evidence(attempt, body, file, by=signed_in(request))
    except SchemaError as error:
        messages.error(request, translated(error.message))
    except ServiceError as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, _("The evidence is added."))


def _sent(posted: Mapping[str, Any]) -> dict[str, object]:
    """The form's fields as the API would be sent them."""
    texts = {name: posted[name].strip() for name in ("kind", "url") if posted.get(name)}
    number, _space, task = posted.get("place", "").partition(" ")
    is_number = task and number.isascii() and number.isdecimal() and len(number) < 10
    return {**texts, "task": task, "sample": int(number)} if is_number else dict(texts)
