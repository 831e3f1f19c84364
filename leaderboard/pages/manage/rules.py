"""`/c/{slug}/manage/rules/`: organisers change what a challenge says, scores and shows."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.columns import Column
from leaderboard.models import Challenge
from leaderboard.pages import labels
from leaderboard.pages.access import is_organiser, organised_or_404, signed_in
from leaderboard.pages.forms import explain
from leaderboard.pages.manage.rules_form import RulesForm, state_of
from leaderboard.services.board.ranking import columns_of
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.changes import planned_change
from leaderboard.services.errors import ServiceError
from leaderboard.services.scoring.rescoring import start_rescore
from leaderboard.translation import count_text

ROWS = range(1, 4)


class RulesPreview(NamedTuple):
    """The board as the form would make it: its columns, or why there is none, and the effect."""

    columns: list[Column]
    why_not: str
    effect: str


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_rules(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    user = signed_in(request)
    data = request.POST if request.method == "POST" else None
    form = RulesForm(challenge, user, data)
    # htmx also sends the button that has the focus, though it asks only for the preview.
    saves = request.POST.get("action") == "save" and "HX-Request" not in request.headers
    if saves and _saved(request, challenge, form):
        return redirect("manage-rules", slug=slug)
    if not is_organiser(request, challenge):
        form.disable()
    preview = _preview(challenge, RulesForm(challenge, user, data))
    if not saves and form.is_bound:
        form.errors.clear()  # a preview refuses nothing
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "rules",
        "form": form,
        "ranks": [[form[name] for name in names] for names in form.rank_rows],
        "columns": [[form[name] for name in names] for names in form.column_rows],
        "preview": preview,
        "rows": ROWS,
    }
    return render(request, "pages/manage/rules.html", context, status=422 if saves else 200)


def _saved(request: HttpRequest, challenge: Challenge, form: RulesForm) -> bool:
    """Save a valid form, and begin a rescore if that is asked for."""
    if not form.is_valid():
        return False
    if form.cleaned_data["state"] != state_of(challenge):
        text = _("Somebody else has changed this challenge. Load the page again.")
        form.add_error(None, text)
        return False
    before = challenge.newest.number
    try:
        changes = form.changes()
        if changes:
            challenge = change_challenge(challenge, user=signed_in(request), fields=changes)
    except ServiceError as refused:
        explain(form, form.placed(refused))
        return False
    messages.success(request, _("The changes are saved.") if changes else _("Nothing has changed."))
    is_behind = challenge.newest.number > before and challenge.shown_config_id != (
        challenge.newest_config_id
    )
    if is_behind and form.cleaned_data["rescore"]:
        _config, attempts = start_rescore(challenge, user=signed_in(request))
        text = ngettext(
            "{count} attempt is scored again. The board shows the new version when it is done.",
            "{count} attempts are scored again. The board shows the new version when all are done.",
            attempts,
        )
        messages.success(request, text.format(count=count_text(attempts)))
    return True


def _preview(challenge: Challenge, form: RulesForm) -> RulesPreview:
    if not form.is_bound:
        return RulesPreview(labels.spoken(columns_of(challenge)), "", "")
    if not form.is_valid():
        said = (f"{form[name].label}: {texts[0]}" for name, texts in form.errors.items())
        return RulesPreview([], " ".join(said), "")
    try:
        planned = planned_change(challenge, form.changes())
    except ServiceError as refused:
        return RulesPreview([], refused.message, "")
    return RulesPreview(
        labels.spoken(planned.columns),
        "",
        _effect(challenge, planned.attempts) if planned.makes_version else "",
    )


def _effect(challenge: Challenge, attempts: int) -> str:
    number = challenge.newest.number + 1
    if attempts == 0:
        return _("Saving makes version {number} of the scoring.").format(number=number)
    text = ngettext(
        "Saving makes version {number} of the scoring, under which {count} attempt is to be scored"
        " again.",
        "Saving makes version {number} of the scoring, under which {count} attempts are to be"
        " scored again.",
        attempts,
    )
    return text.format(number=number, count=count_text(attempts))
