"""`/c/{slug}/submit/`: an attempt by hand."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard.models.attempt import COUNT_LIMIT
from leaderboard.pages.access import challenge_or_404, is_organiser, signed_in
from leaderboard.pages.bringing import bringing_of
from leaderboard.pages.file_form import file_form_for
from leaderboard.pages.forms import explain, own_participants
from leaderboard.rules.strict_json import InvalidJSON, parse_json
from leaderboard.services.refused import Refused
from leaderboard.services.submitting import NewAttempt, submit_attempt

OUTCOMES = (("", "Not said"), ("yes", "Yes"), ("no", "No"))


def count_field(label: str, hint: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label, help_text=hint, required=False, min_value=0, max_value=COUNT_LIMIT
    )


class NumbersField(forms.CharField):
    """Numbers by name, as JSON."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "json"})

    def clean(self, value: Any) -> dict[str, float]:
        text = str(super().clean(value))
        try:
            read = parse_json(text.encode("utf-8", "surrogatepass")) if text else {}
        except InvalidJSON as error:
            where = f"{error.place}: " if error.place else ""
            raise forms.ValidationError(f"{where}{error.message}.") from None
        if not isinstance(read, dict):
            raise forms.ValidationError('Must be an object, such as {"solved": 9}.')
        for name, each in read.items():
            if type(each) not in (int, float):
                raise forms.ValidationError(f"{name} must be a number.")
        return {name: float(each) for name, each in read.items()}


class AttemptForm(forms.Form):
    """The facts of an attempt. Everything but the participant may be left out."""

    participant = forms.CharField(
        max_length=120,
        help_text="The name on the board. It is yours from its first attempt on.",
        widget=forms.TextInput(attrs={"list": "participants", "autocomplete": "off"}),
    )
    succeeded = forms.ChoiceField(
        choices=OUTCOMES, required=False, help_text="Did it reach the goal?"
    )
    elapsed_ms = count_field("Time", "In milliseconds.")
    tokens_total = count_field("Tokens", "Input and output together.")
    rating = forms.FloatField(
        required=False, min_value=0, max_value=10, help_text="From 0 to 10, if it was judged."
    )
    cost_usd = forms.FloatField(
        label="Cost",
        required=False,
        min_value=0,
        max_value=COUNT_LIMIT,
        help_text="In US dollars.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    values = NumbersField(
        label="Reported values",
        required=False,
        help_text="Numbers of your own as JSON, such as <code>{&quot;solved&quot;: 9}</code>.",
    )
    note = forms.CharField(
        required=False,
        max_length=2000,
        help_text="Anything that readers should know.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def attempt(self) -> NewAttempt:
        """The attempt, once the form is valid."""
        given = dict(self.cleaned_data)
        participant, note = given.pop("participant"), given.pop("note")
        values = given.pop("values")
        succeeded = {"yes": True, "no": False}.get(given.pop("succeeded"))
        metrics: dict[str, Any] = {"succeeded": succeeded, **given}
        return NewAttempt(participant=participant, metrics=metrics, values=values, note=note)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit_page(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = challenge_or_404(request, slug)
    user = signed_in(request)
    form = AttemptForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            attempt, _ = submit_attempt(
                challenge=challenge,
                user=user,
                new=form.attempt(),
                organiser=is_organiser(request, challenge),
            )
        except Refused as refused:
            explain(form, refused)
        else:
            return redirect(attempt)
    participants = own_participants(challenge, user)
    context = {
        "challenge": challenge,
        "tab": "submit",
        "form": form,
        "file_form": file_form_for(challenge, participants),
        "participants": participants,
        "bringing": bringing_of(request, challenge),
        "submit_url": request.build_absolute_uri(f"/api/v1/challenges/{challenge.slug}/attempts/"),
    }
    status = 422 if form.errors else 200
    return render(request, "pages/submit.html", context, status=status)
