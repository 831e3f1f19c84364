"""`/c/{slug}/manage/script/?metric=…`: organisers try a metric script of their challenge."""

from __future__ import annotations

from math import ceil
from typing import Final

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.pages.plugins.trial import TrialResult, result_of, wait_of
from leaderboard.pages.shared.access import is_organiser, organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain, with_status
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.trying import TaskSamples, read_rewards
from leaderboard.services.scoring.trials import try_script
from leaderboard.services.scripts.metric_scripts import MetricScript, scripts_of
from leaderboard.services.scripts.prepare import ScriptRefused

EXAMPLE: Final = '{"task-1": [1, 0, 1],\n "task-2": [0.5, null, 1]}'


class ScriptTrial(FormWithSent):
    """The rewards of an invented attempt."""

    rewards = forms.CharField(
        label=gettext_lazy("Rewards"),
        help_text=gettext_lazy(
            "As JSON: the samples of each task, null for one that failed. A sample may also be an "
            "object of rewards by name."
        ),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "json"}),
        initial=EXAMPLE,
        max_length=20_000,
    )

    def clean_rewards(self) -> list[TaskSamples]:
        try:
            return read_rewards(parse_json(self.cleaned_data["rewards"].encode()))
        except InvalidJSON as error:
            raise ValidationError(translated(error.message)) from None
        except ValueError as error:
            raise ValidationError(str(error)) from None


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_script(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    script = _script(challenge, request.GET.get("metric", ""))
    if not is_organiser(request, challenge):
        raise Http404("There is no such page.")
    form = ScriptTrial(request.POST if request.method == "POST" else None)
    result = _tried(request, form, script) if request.method == "POST" and form.is_valid() else None
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "metrics",
        "script": script,
        "form": form,
        "result": result,
    }
    return with_status(render(request, "pages/manage/script.html", context), form)


def _script(challenge: Challenge, name: str) -> MetricScript:
    scripts = {script.name: script for script in scripts_of(challenge.newest.metric_specs)}
    if name not in scripts:
        raise Http404("There is no such script.")
    return scripts[name]


def _tried(request: HttpRequest, form: ScriptTrial, script: MetricScript) -> TrialResult | None:
    """What the script gives; None with the reason in the form if it cannot be tried now."""
    if (wait := wait_of(signed_in(request))) is not None:
        form.retry_after = max(1, ceil(wait))
        form.add_error(None, _("Plugins have been tried too often. Try again later."))
        return None
    try:
        trial = try_script(script.text, form.cleaned_data["rewards"])
    except ScriptRefused as refused:
        return TrialResult("", [], [], translated(refused.message), refused.detail)
    except ServiceError as refused:
        explain(form, refused)
        return None
    return result_of(trial, see_detail=True)
