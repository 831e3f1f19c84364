"""`/attempts/{id}/evidence/{number}/`: a trajectory step by step, or a log or diff as text."""

from __future__ import annotations

from typing import Final, NamedTuple
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.importers.transcripts import TranscriptStep, read_transcript
from leaderboard.languages.translation import count_text, translated
from leaderboard.models import EvidenceFile
from leaderboard.pages.attempt.evidence import readable_evidence
from leaderboard.pages.shared.access import access_in, attempt_or_404
from leaderboard.pages.shared.long_texts import ShownText, folded
from leaderboard.pages.shared.paging import counted, page_asked
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.store import open_file

STEPS_PER_PAGE: Final = 200
LARGEST_READ: Final = 8 << 20
"""Bytes of a trajectory that is read for a page; one that is larger is only downloaded."""
BYTES_PER_PAGE: Final = 64 << 10
"""Of a log or a diff, of which no more than a page is read."""
LONGEST_LETTER: Final = 4
"""Bytes of a character in UTF-8."""


class ShownPart(NamedTuple):
    """A text of a step under a heading: a call, a result, or the thoughts of a model."""

    label: str
    text: ShownText


class ShownStep(NamedTuple):
    """A step with its number, counted from 1."""

    number: int
    role: str
    about: str
    text: ShownText
    parts: list[ShownPart]


@require_safe
@cache_control(private=True, no_cache=True)
def evidence_file_page(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    attempt = attempt_or_404(request, pk)
    file = readable_evidence(request, attempt).filter(pk=number, url="").first()
    if file is None:
        raise Http404("There is no such file.")
    as_steps = file.kind == EvidenceFile.Kind.TRAJECTORY
    context = {
        "attempt": attempt,
        "challenge": attempt.challenge,
        "participant": access_in(request, attempt.challenge).participant(
            attempt.participant, attempt.phase_id
        ),
        "file": file,
        "label": file.get_kind_display(),
        **(_steps(request, file) if as_steps else _text(request, file)),
    }
    return render(request, "pages/evidence_file.html", context)


def _steps(request: HttpRequest, file: EvidenceFile) -> PageContext:
    """Some steps of a trajectory; why it is not shown, if it cannot be."""
    if file.size > LARGEST_READ:
        text = _("It is larger than {most} MiB, which is too much for a page.")
        return {"problem": text.format(most=LARGEST_READ >> 20)}
    try:
        with open_file(file.path) as opened:
            transcript = read_transcript(opened.read(LARGEST_READ + 1))
    except ServiceError as refused:
        return {"problem": refused.message}
    if transcript is None:
        return {"problem": _("It is no trajectory in a format that this page can read.")}
    paging = counted(page_asked(request), len(transcript), STEPS_PER_PAGE)
    start = (paging.number - 1) * STEPS_PER_PAGE
    steps = transcript.steps(start, STEPS_PER_PAGE)
    return {
        "format": translated(transcript.reader.label),
        "total": len(transcript),
        "steps": [_in_words(at, step) for at, step in enumerate(steps, start + 1)],
        "paging": paging,
    }


def _in_words(number: int, step: TranscriptStep) -> ShownStep:
    parts = [ShownPart(_("Reasoning"), folded(step.reasoning))] if step.reasoning else []
    parts += [
        ShownPart(_("Calls {tool}").format(tool=call.name or "–"), folded(call.arguments))
        for call in step.calls
    ]
    parts += [
        ShownPart(
            _("Result of {tool}").format(tool=result.name) if result.name else _("Result"),
            folded(result.text),
        )
        for result in step.results
    ]
    tokens = step.tokens
    about = [
        step.model,
        step.at,
        _("{count} tokens in").format(count=count_text(tokens["input"]))
        if "input" in tokens
        else "",
        _("{count} of them cached").format(count=count_text(tokens["cache"]))
        if "cache" in tokens
        else "",
        _("{count} tokens out").format(count=count_text(tokens["output"]))
        if "output" in tokens
        else "",
    ]
    return ShownStep(number, step.role, " · ".join(filter(None, about)), folded(step.text), parts)


def _text(request: HttpRequest, file: EvidenceFile) -> PageContext:
    """A page of a text; why it is not shown, if it is none."""
    paging = counted(page_asked(request), file.size, BYTES_PER_PAGE)
    start = (paging.number - 1) * BYTES_PER_PAGE
    try:
        with open_file(file.path) as opened:
            opened.seek(start)
            piece = opened.read(BYTES_PER_PAGE + LONGEST_LETTER - 1)
    except ServiceError as refused:
        return {"problem": refused.message}
    if b"\0" in piece:
        return {"problem": _("It is no text.")}
    return {"text": _decoded(piece), "paging": paging}


def _decoded(piece: bytes) -> str:
    """The characters that begin on a page: a piece of a text that ends with a few more bytes."""
    first = next((at for at in range(min(3, len(piece))) if piece[at] & 0xC0 != 0x80), 0)
    end = min(BYTES_PER_PAGE, len(piece))
    while end < len(piece) and piece[end] & 0xC0 == 0x80:
        end += 1
    return piece[first:end].decode(errors="replace")
