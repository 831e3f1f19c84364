"""`/c/{slug}/submit/file/{id}/`: a large result file that a worker reads, for its user."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.http.arrivals import moment_of
from leaderboard.importers import ColumnUse, ImportFailed, Source, known_importers
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ImportJob
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.admission import VERDICTS
from leaderboard.pages.shared.access import challenge_or_404, is_organiser, signed_in
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.pages.submit.column_uses import choices_of
from leaderboard.rules.json.untyped_dicts import FormValues, PageContext
from leaderboard.services.competition.clock import time_of
from leaderboard.services.errors import ServiceError
from leaderboard.services.imports.jobs import (
    UNFINISHED,
    AskedImport,
    create_job,
    read_again,
    rows_for_a_worker,
)
from leaderboard.services.imports.uploads import StoredUpload


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_job_page(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Shows how far the file is, then its preview; a post imports it, with `again` previews it."""
    challenge = challenge_or_404(request, slug)
    job = ImportJob.objects.filter(pk=pk, challenge=challenge, user=signed_in(request)).first()
    if job is None:
        raise Http404("There is no such file.")
    if request.method == "POST":
        is_again = "again" in request.POST
        try:
            begun = read_again(
                job,
                columns=request.POST.getlist("map"),
                received_at=time_of(moment_of(request.META)),
                dry_run=is_again,
                show_columns="show_columns" in request.POST and not is_again,
            )
            if not begun:
                messages.error(request, _("This file is imported already, or is being read."))
        except ServiceError as refused:
            messages.error(request, refused.message)
        return redirect("import-job", slug, pk)
    return render(request, "pages/import_job.html", {"challenge": challenge, **_context(job)})


def job_for(
    request: HttpRequest, challenge: Challenge, fields: FormValues, kept: StoredUpload
) -> ImportJob | None:
    """The job of a stored file that a worker should read; None for a smaller one.

    Raises ServiceError: `throttled`, `too_large`.
    """
    try:
        with Source.open(kept.path, kept.label) as source:
            rows = rows_for_a_worker(source, fields["format"])
    except ImportFailed:  # the preview says why
        return None
    if not rows:
        return None
    user = signed_in(request)
    asked = AskedImport(
        label=kept.label,
        participant=fields["participant"],
        format=fields["format"],
        phase=fields.get("phase", ""),
        organiser=is_organiser(request, challenge),
        sender=f"user-{user.pk}",
        received_at=time_of(moment_of(request.META)).isoformat(),
    )
    with kept.path.open("rb") as file:
        return create_job(
            challenge=challenge, user=user, file=file, asked=asked, dry_run=True, rows=rows
        )


def opened(request: HttpRequest, job: ImportJob) -> HttpResponse:
    """A redirect to the page of a job that htmx follows as well."""
    args = (job.challenge.slug, job.pk)
    if not request.headers.get("HX-Request"):
        return redirect("import-job", *args)
    return HttpResponse(headers={"HX-Redirect": reverse("import-job", args=args)})


def _context(job: ImportJob) -> PageContext:
    result, error = job.result or {}, job.error or {}
    fresh = result.get("attempts", 0) - result.get("known", 0)
    verdicts = result.get("verdicts", {})
    uses = [ColumnUse(**use) for use in (result or error).get("map", ())]
    return {
        "tab": "submit",
        "job": job,
        "label": job.asked["label"],
        "is_unfinished": job.state in UNFINISHED,
        "result": result,
        "error": error,
        "format": translated(known_importers()[result["format"]].label) if result else "",
        "fresh": fresh,
        "fresh_text": row_labels.count(fresh, "attempt"),
        "attempts_text": row_labels.count(job.attempts or 0, "attempt"),
        "verdicts": [(VERDICTS[name], count) for name, count in sorted(verdicts.items())],
        "rows": [
            {
                **row,
                "verdict": VERDICTS.get(row.get("verdict", ""), ""),
                "findings": [as_sentence(one["text"]) for one in row.get("findings", ())],
            }
            for row in result.get("rows", ())
        ],
        "more": max(0, result.get("attempts", 0) - len(result.get("rows", ()))),
        "mapping": choices_of(uses) if job.dry_run else [],
        "may_show": job.asked["organiser"] and bool(uses),
    }
