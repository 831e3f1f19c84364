"""`/c/{slug}/manage/admission/`: organisers set the rules of admission, after trying them."""

from __future__ import annotations

import json
from typing import Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.conditions import PRESETS, known_conditions
from leaderboard.forms.challenge_inputs import ChallengeInputs
from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, ConditionSet
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.schemas.admission import ADMISSION_RULES
from leaderboard.schemas.errors import SchemaError, checked
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.standing.condition_sets import (
    condition_set_of,
    publish_rules,
    rules_in_words,
    rules_of,
)
from leaderboard.services.standing.rejudging import Trial, judge_slice, try_rules

REVIEW_FIELDS: Final = (
    *("review", "decisions_needed", "reviewers_decide"),
    *("disclose", "evidence_visibility"),
)


class AdmissionForm(FormWithSent):
    """The rules as JSON. Services check them, so that errors are those of the API."""

    rules = forms.CharField(
        label=gettext_lazy("Rules"),
        required=False,
        widget=forms.Textarea(attrs={"class": "json", "rows": 18, "spellcheck": "false"}),
        help_text=gettext_lazy("A JSON list; each rule names its kind and its settings."),
    )
    since = forms.CharField(
        label=gettext_lazy("Only for attempts that arrive from then on"),
        required=False,
        help_text=gettext_lazy("With its offset, like 2026-11-20T08:00:00Z. Empty: for all."),
    )

    def read(self) -> tuple[list[object], object]:
        """The rules, and the moment from which they hold. Raises ServiceError, SchemaError."""
        try:
            rules = parse_json((self.cleaned_data["rules"] or "[]").encode())
        except InvalidJSON as error:
            raise ServiceError("invalid", str(error)) from None
        since = self.cleaned_data["since"] or None
        body = checked(ADMISSION_RULES, {"rules": rules, "since": since})
        return list(body.rules or ()), body.since


class ReviewForm(ChallengeInputs):
    """How attempts are reviewed, and who sees what of them."""

    def __init__(self, challenge: Challenge, data: QueryDict | None = None) -> None:
        self.stored = {name: getattr(challenge, name) for name in REVIEW_FIELDS}
        super().__init__(data, initial=self.stored)
        self.add_fields(REVIEW_FIELDS)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_admission(request: HttpRequest, slug: str) -> HttpResponse:
    """`?preset=NAME` fills in the rules of a preset."""
    challenge = organised_or_404(request, slug)
    action = request.POST.get("action", "")
    present = condition_set_of(challenge)
    asks_rules = action not in ("", "settings")
    review = ReviewForm(challenge, request.POST if action == "settings" else None)
    if _saved_review(request, challenge, review):
        return redirect("manage-admission", slug=slug)
    form = AdmissionForm(
        request.POST if asks_rules else None, initial=_initial(request.GET, present)
    )
    trial: Trial | None = None
    if asks_rules and form.is_valid():
        try:
            trial = _done(request, challenge, form, action)
            if trial is None:
                return redirect("manage-admission", slug=slug)
        except SchemaError as error:
            form.add_error("since" if error.field == "since" else "rules", translated(str(error)))
        except ServiceError as refused:
            form.add_error("rules", refused.message)
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "admission",
        "form": form,
        "review": review,
        "trial": trial,
        "present": present,
        "words": [
            translated(text) for text in rules_in_words(rules_of(challenge.condition_set_id))
        ],
        "presets": [(name, translated(preset.label)) for name, preset in PRESETS.items()],
        "kinds": [(key, translated(kind.label)) for key, kind in known_conditions().items()],
    }
    status = 422 if form.errors or review.errors else 200
    return render(request, "pages/manage/admission.html", context, status=status)


def _done(
    request: HttpRequest, challenge: Challenge, form: AdmissionForm, action: str
) -> Trial | None:
    """Try or publish the rules; the trial, or None if they are published."""
    body_rules, since = form.read()
    if action != "publish":
        return try_rules(challenge, body_rules)
    made = publish_rules(challenge, body_rules, by=signed_in(request), since=since)  # type: ignore[arg-type]
    if not made.is_judged:
        judge_slice(made)
    messages.success(request, _("The rules are published."))
    return None


def _saved_review(request: HttpRequest, challenge: Challenge, form: ReviewForm) -> bool:
    """Save a form that was sent, or add the errors of the service to it."""
    if not form.is_valid():
        return False
    fields = form.typed_values(REVIEW_FIELDS)
    try:
        change_challenge(challenge, fields=fields, user=signed_in(request))
    except ServiceError as refused:
        explain(form, refused)
        return False
    messages.success(request, _("The changes are saved."))
    return True


def _initial(query: QueryDict, present: ConditionSet | None) -> dict[str, str]:
    name = query.get("preset", "")
    if name in PRESETS:
        return {"rules": json.dumps(PRESETS[name].rules, indent=1)}
    if present is None:
        return {"rules": "[]"}
    since = present.since.isoformat() if present.since else ""
    return {"rules": json.dumps(present.rules, indent=1), "since": since}
