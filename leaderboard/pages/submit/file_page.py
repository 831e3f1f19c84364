"""`/c/{slug}/submit/file/`: a result file is previewed and then imported as attempts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from leaderboard.http.arrivals import moment_of
from leaderboard.importers import ColumnUse, ImportFailed, Source
from leaderboard.languages.translation import count_text
from leaderboard.models import Challenge, Phase
from leaderboard.pages.shared.access import challenge_or_404, is_organiser, signed_in
from leaderboard.pages.shared.forms import explain, own_participants, with_status
from leaderboard.pages.submit.column_uses import choices_of, hidden_values
from leaderboard.pages.submit.file_form import FileForm, file_form_for, takes_outputs
from leaderboard.pages.submit.import_job import job_for, opened
from leaderboard.pages.submit.preview import preview_of
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.competition.clock import received_now, time_of
from leaderboard.services.competition.participants.own_names import own_name
from leaderboard.services.competition.quotas.state import current_phases
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.imports.importing import import_file
from leaderboard.services.imports.previews import ImportResult
from leaderboard.services.imports.uploads import PREVIEWS


class Imported(NamedTuple):
    """The name of a file, and the result of its import or preview."""

    name: str
    result: ImportResult


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview a posted file; a second post with its key, as `kept`, imports it.

    If a file was refused for another field of the form, `again` has its key, for a new preview.
    """
    challenge = challenge_or_404(request, slug)
    if request.method != "POST":
        return _page(request, challenge, None)
    if "kept" in request.POST and "again" not in request.POST:
        return _confirmed(request, challenge)
    token = request.POST.get("again", "")
    texts = takes_outputs(challenge)
    form = FileForm(
        request.POST, request.FILES, kept=bool(token), texts=texts, phases=_open(challenge)
    )
    if not form.is_valid():
        return _page(request, challenge, form, again=token)
    if file := form.cleaned_data["file"]:
        token = PREVIEWS.keep(file, signed_in(request))
        kept = PREVIEWS.find(token, signed_in(request))
        try:
            if kept and (job := job_for(request, challenge, form.cleaned_data, kept)):
                return opened(request, job)
        except ServiceError as refused:
            explain(form, refused)
            return _page(request, challenge, form, again=token)
    result = _imported(request, challenge, form, token, dry_run=True)
    if result is None:
        return _page(request, challenge, form, again=token)
    preview = preview_of(challenge, result.result, result.name) | {"kept": token}
    if is_organiser(request, challenge):
        preview |= {"may_show": hidden_values(challenge, result.result)}
    return _page(request, challenge, form, preview=preview, mapping=result.result.map)


def _confirmed(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """Import the file that was previewed."""
    token = request.POST["kept"]
    texts = takes_outputs(challenge)
    form = FileForm(request.POST, kept=True, texts=texts, phases=_open(challenge))
    if not form.is_valid():
        return _page(request, challenge, form, again=token)
    result = _imported(request, challenge, form, token, dry_run=False)
    if result is None:
        return _page(request, challenge, form, again=token)
    PREVIEWS.forget(token, signed_in(request))
    fresh = [row for row in result.result.rows if not row.known]
    taken = ngettext(
        "{count} attempt taken from the file.", "{count} attempts taken from the file.", len(fresh)
    )
    messages.success(request, taken.format(count=count_text(len(fresh))))
    if len(fresh) == 1:
        return redirect("attempt", fresh[0].attempt)
    return redirect("board", challenge.slug)


def _imported(
    request: HttpRequest, challenge: Challenge, form: FileForm, token: str, *, dry_run: bool
) -> Imported | None:
    """The result of a stored file; None if it was refused, with the reason in the form."""
    received_at = time_of(moment_of(request.META))
    try:
        kept = PREVIEWS.find(token, signed_in(request))
        if kept is None:
            raise invalid("file", _("must be chosen again; got a file that is no longer stored"))
        with _opened(kept.path, kept.label) as source:
            result = import_file(
                challenge=challenge,
                user=signed_in(request),
                source=source,
                participant=form.cleaned_data["participant"],
                format=form.cleaned_data["format"],
                phase=form.cleaned_data.get("phase", ""),
                organiser=is_organiser(request, challenge),
                dry_run=dry_run,
                # Answers about an earlier file do not apply to a new one.
                columns=() if request.FILES else request.POST.getlist("map"),
                show_columns="show_columns" in request.POST and not dry_run,
                remember=kept.read,
                sender=f"user-{signed_in(request).pk}",
                received_at=received_at,
            )
    except ServiceError as refused:
        explain(form, refused)
        form.mapping = refused.map
        return None
    return Imported(source.label, result)


def _open(challenge: Challenge) -> list[Phase]:
    return [current_phase.phase for current_phase in current_phases(challenge, received_now())]


def _opened(path: Path, label: str) -> Source:
    try:
        return Source.open(path, label)
    except ImportFailed as error:
        raise invalid("file", error.text) from None


def _put_focus(form: FileForm) -> None:
    """Focus the first error, because the button that had the focus is gone with the old form."""
    for name in form.fields:
        if name in form.errors:
            form.fields[name].widget.attrs["autofocus"] = True
            return


def _page(
    request: HttpRequest,
    challenge: Challenge,
    form: FileForm | None,
    *,
    preview: PageContext | None = None,
    again: str = "",
    mapping: Sequence[ColumnUse] = (),
) -> HttpResponse:
    """The page: 422 or 429 for a refused form, but 200 for htmx, which shows no other status."""
    user = signed_in(request)
    participants = own_participants(challenge, user)
    kept = None if form is None or "file" in form.errors else PREVIEWS.find(again, user)
    if form is not None:
        form.fields["file"].required = kept is None
        _put_focus(form)
    context = {
        "challenge": challenge,
        "tab": "submit",
        "file_form": form
        or file_form_for(challenge, participants, _open(challenge), own_name(challenge, user)),
        "preview": preview,
        "mapping": choices_of(mapping or (form.mapping if form else ())),
        "again": again if kept else "",
        "again_label": kept.label if kept else "",
        "participants": participants,
    }
    response = render(request, "pages/import.html", context)
    is_shown_by_htmx = request.headers.get("HX-Request")
    return response if form is None or is_shown_by_htmx else with_status(response, form)
