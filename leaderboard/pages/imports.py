"""`/c/{slug}/submit/file/`: a result file, looked at first and then turned into attempts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_http_methods

from leaderboard.columns import Column, get_column
from leaderboard.importers import ImportFailed, Source, known_importers
from leaderboard.models import Challenge
from leaderboard.pages import metric_words, uploads, words
from leaderboard.pages.access import challenge_or_404, is_organiser, signed_in
from leaderboard.pages.forms import explain
from leaderboard.services import board
from leaderboard.services.importing import ImportResult, Preview, import_file
from leaderboard.services.refused import Refused, invalid

MAX_FILE_BYTES = 64 * 1024 * 1024
ROWS_SHOWN = 100


class FileForm(forms.Form):
    """A result file, and what to make of it."""

    file = forms.FileField(
        help_text="Of any format on the page of <a href='/plugins/#importers'>plugins</a>."
    )
    participant = forms.CharField(
        label="Whose attempts they are",
        required=False,
        max_length=120,
        help_text="Empty: named after the agents and models in the file.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "list": "participants"}),
    )
    format = forms.ChoiceField(required=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
    ) -> None:
        super().__init__(data, files, auto_id="id_file_%s")
        found = ((key, importer.label) for key, importer in known_importers().items())
        self.fields["format"] = forms.ChoiceField(
            choices=[("", "Recognise it"), *found], required=False
        )

    def clean_file(self) -> UploadedFile[bytes] | None:
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is not None and (file.size or 0) > MAX_FILE_BYTES:
            raise forms.ValidationError(f"It may have at most {MAX_FILE_BYTES >> 20} MiB.")
        return file


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """What one attempt of the file would be. `known`: the attempt that it is already."""

    participant: str
    known: UUID | None
    tasks: int
    samples: int
    failed: int
    values: list[tuple[str, str, str]]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = challenge_or_404(request, slug)
    if request.method != "POST":
        return _page(request, challenge, FileForm())
    if "kept" in request.POST:
        return _confirmed(request, challenge)
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, challenge, form)
    token = uploads.keep(form.cleaned_data["file"], signed_in(request))
    result = _imported(request, challenge, form, token, dry_run=True)
    if result is None:
        return _page(request, challenge, form)
    return _page(request, challenge, form, _preview(challenge, result) | {"kept": token})


def _confirmed(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """The file that was looked at becomes attempts."""
    form = FileForm(request.POST)
    form.fields["file"].required = False
    if not form.is_valid():
        return _page(request, challenge, form)
    result = _imported(request, challenge, form, request.POST["kept"], dry_run=False)
    if result is None:
        return _page(request, challenge, form)
    uploads.forget(signed_in(request))
    fresh = [row for row in result.rows if not row.known]
    messages.success(request, f"{words.count(len(fresh), 'attempt')} taken from the file.")
    if len(fresh) == 1:
        return redirect("attempt", fresh[0].attempt)
    return redirect("board", challenge.slug)


def _imported(
    request: HttpRequest, challenge: Challenge, form: FileForm, token: str, *, dry_run: bool
) -> ImportResult | None:
    """What became of a kept file; None when it was refused, with the reason on the form."""
    try:
        kept = uploads.find(token, signed_in(request))
        if kept is None:
            raise invalid("file", "the file was not kept any longer; choose it again")
        with _opened(kept.path, kept.label) as source:
            return import_file(
                challenge=challenge,
                user=signed_in(request),
                source=source,
                participant=form.cleaned_data["participant"],
                format=form.cleaned_data["format"],
                organiser=is_organiser(request, challenge),
                dry_run=dry_run,
            )
    except Refused as refused:
        explain(form, refused)
        return None


def _opened(path: Path, label: str) -> Source:
    try:
        return Source.open(path, label)
    except ImportFailed as error:
        raise invalid("file", str(error)) from None


def _preview(challenge: Challenge, result: ImportResult) -> dict[str, Any]:
    columns = {column.key: column for column in board.columns_of(challenge)}
    fresh = sum(not row.known for row in result.rows)
    return {
        "format": known_importers()[result.format].label,
        "fresh": fresh,
        "fresh_text": words.count(fresh, "attempt"),
        "known": len(result.rows) - fresh,
        "lines": [_line(columns, row) for row in result.rows[:ROWS_SHOWN]],
        "more": max(0, len(result.rows) - ROWS_SHOWN),
        "warnings": result.warnings,
        "differences": result.differences,
    }


def _line(columns: dict[str, Column], row: Preview) -> PreviewLine:
    return PreviewLine(
        participant=row.participant,
        known=row.attempt if row.known else None,
        tasks=row.tasks,
        samples=row.samples,
        failed=row.failed,
        values=list(_values(columns, row)),
    )


def _values(columns: dict[str, Column], row: Preview) -> Iterator[tuple[str, str, str]]:
    """Label, value and coverage of what the attempt would have on the board."""
    for key, state in row.metric_values.items():
        column = columns.get(key) or get_column(key)
        yield column.label, column.text(state["value"]), metric_words.coverage(state)
    for key, value in row.values.items():
        yield key, words.number(value), "reported"


def _page(
    request: HttpRequest,
    challenge: Challenge,
    form: FileForm,
    preview: dict[str, Any] | None = None,
) -> HttpResponse:
    context = {"challenge": challenge, "tab": "submit", "file_form": form, "preview": preview}
    status = 422 if form.errors else 200
    return render(request, "pages/import.html", context, status=status)
