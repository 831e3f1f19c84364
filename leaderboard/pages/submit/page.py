"""`/c/{slug}/submit/`: an attempt by hand."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from allauth.account.internal.flows.reauthentication import raise_if_reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.http.arrivals import moment_of
from leaderboard.importers import Source
from leaderboard.importers.formats import podium_jsonl
from leaderboard.models import Challenge
from leaderboard.pages.shared.access import challenge_or_404, is_organiser, signed_in
from leaderboard.pages.shared.forms import explain, own_participants, with_status
from leaderboard.pages.shared.phases import left_for
from leaderboard.pages.submit.example import curl_example
from leaderboard.pages.submit.file_form import file_form_for
from leaderboard.pages.submit.hand_forms import EvidenceForm, FactsForm, hand_form
from leaderboard.pages.submit.help import submission_help
from leaderboard.pages.submit.predictions import PredictionsForm, predictions_help
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.attempts.submit import submit_attempt
from leaderboard.services.competition.clock import time_of
from leaderboard.services.competition.participants.obstacles import obstacle_of
from leaderboard.services.competition.participants.own_names import own_name
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.files.uploads import forget_upload
from leaderboard.services.imports.importing import import_file
from leaderboard.services.imports.needs import why_never_ranked
from leaderboard.services.tokens import MAX_NAME, create_token

HandForm = FactsForm | EvidenceForm | PredictionsForm
TOKEN_LIFETIME = timedelta(days=90)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit_page(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, challenge_or_404(request, slug))


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit_token(request: HttpRequest, slug: str) -> HttpResponse:
    """`/c/{slug}/submit/token/`: the page with a new token for this challenge in its commands."""
    challenge = challenge_or_404(request, slug)
    user = signed_in(request)
    if request.method != "POST":  # after a reauthentication, or a reload
        return redirect("submit", slug=slug)
    if is_mfa_enabled(user):
        # A token is a way in without the second factor.
        raise_if_reauthentication_required(request, app="allauth.mfa")
    _token, text = create_token(
        user=user,
        name=_("Submit to {challenge}").format(challenge=challenge.slug)[:MAX_NAME],
        scopes=("read", "submit"),
        challenge=challenge,
        expires_at=timezone.now() + TOKEN_LIFETIME,
    )
    return _page(request, challenge, text)


def _page(request: HttpRequest, challenge: Challenge, token: str = "") -> HttpResponse:
    """The page of forms and commands. token: the text of a new token, for the commands."""
    user = signed_in(request)
    participants = own_participants(challenge, user)
    left = left_for(challenge, participants, user)
    phases = [phase_left.current.phase for phase_left in left]
    is_sent = request.method == "POST" and not token
    data, takes_files = request.POST if is_sent else None, challenge.newest.takes_files
    form: HandForm
    if takes_files:
        form = PredictionsForm(data, request.FILES if is_sent else None, phases=phases)
    else:
        form = hand_form(challenge, data, phases)
    if own := own_name(challenge, user):
        form.fields["participant"].initial = own.handle
    if is_sent and form.is_valid():
        try:
            return redirect("attempt", _submitted(request, challenge, form))
        except ServiceError as refused:
            explain(form, refused)
    context: PageContext = {
        "left": left,
        "obstacle": None if is_organiser(request, challenge) else obstacle_of(challenge, user),
        "challenge": challenge,
        "tab": "submit",
        "form": form,
        "file_form": file_form_for(challenge, participants, phases, own),
        "participants": participants,
        "token": token,
    }
    if takes_files:
        context["help"] = predictions_help(request, challenge, token)
        return with_status(render(request, "pages/submit_file.html", context), form)
    context["submission_help"] = submission_help(request, challenge, token)
    context["example"] = curl_example(request, challenge, token)
    return with_status(render(request, "pages/submit.html", context), form)


def _submitted(request: HttpRequest, challenge: Challenge, form: HandForm) -> UUID:
    """Submit a valid form; returns the id of the attempt. Raises ServiceError."""
    received_at = time_of(moment_of(request.META))
    user, organiser = signed_in(request), is_organiser(request, challenge)
    if isinstance(form, FactsForm | PredictionsForm):
        attempt, _ = submit_attempt(
            challenge=challenge,
            user=user,
            new=form.attempt(),
            organiser=organiser,
            received_at=received_at,
            file=form.sent(user) if isinstance(form, PredictionsForm) else None,
        )
        if upload := form.cleaned_data.get("upload"):
            forget_upload(upload)
        return attempt.pk
    return _submitted_evidence(request, challenge, form.line(), received_at)


def _submitted_evidence(
    request: HttpRequest, challenge: Challenge, line: bytes, received_at: datetime
) -> UUID:
    """Submit evidence after a dry run, which shows whether the attempt could be ranked."""
    for dry_run in (True, False):
        with Source.open(line, _("The attempt")) as source:
            try:
                result = import_file(
                    challenge=challenge,
                    user=signed_in(request),
                    source=source,
                    format=podium_jsonl.KEY,
                    organiser=is_organiser(request, challenge),
                    dry_run=dry_run,
                    received_at=received_at,
                )
            except ServiceError as refused:
                raise _of_evidence(refused) from None
        if dry_run and (why := why_never_ranked(challenge.newest, result.rows[0])):
            raise invalid("evidence", why)
    return result.attempts[0]


def _of_evidence(refused: ServiceError) -> ServiceError:
    """The error of a file as an error of the field that has its text."""
    fields = {
        "evidence" if name == "file" else name: texts for name, texts in refused.fields.items()
    }
    of_evidence = ServiceError(refused.code, refused.message, fields)
    of_evidence.retry_after = refused.retry_after
    return of_evidence
