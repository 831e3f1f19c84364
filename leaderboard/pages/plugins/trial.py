"""The forms that try a plugin on its page.

Trials run in a sandbox of their own in the web process, so that they never hold up scoring. A trial
tells what a plugin does, so only organisers try plugins whose source is not public.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.cache.rates import wait_for
from leaderboard.columns import get_column
from leaderboard.facts import scored_facts
from leaderboard.forms.errors import FormWithSent
from leaderboard.forms.json_fields import ObjectField
from leaderboard.forms.setting_fields import ScorerSettings, fact_field
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, User
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.forms import explain
from leaderboard.pages.shared.score_terms import Term, terms
from leaderboard.rules.rewards.evidence import ONLY_REWARD
from leaderboard.rules.rewards.reductions import MetricFailed
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.attempts.reading import ReadScore
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.trying import TaskSamples, Tried
from leaderboard.services.scoring.trials import (
    TriedText,
    try_entrypoint,
    try_metric,
    try_text_metric,
)

MOST_REWARDS: Final = 1000
MOST_CHARACTERS: Final = 5_000
MOST_REFERENCES: Final = 20
RATE_OF_USER: Final = "10/min"
RATE_OF_ALL: Final = "60/min"
"""So many times the rate of one user is the rate of all of them together."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What a plugin gave. notes: the clamp, an interval; error: why there is no value.

    detail: the traceback, or where a late plugin was. output: what it printed. failing_task: the
    first task whose rewards alone make it fail. All three are for authors and organisers.
    """

    value: str
    terms: list[Term]
    notes: list[str]
    error: str = ""
    detail: str = ""
    output: str = ""
    failing_task: str = ""


class ScorerTrial(ScorerSettings, FormWithSent):
    """The facts and values of an invented attempt, and the settings of the scorer."""

    vars().update(
        {
            scored_fact.key: fact_field(scored_fact)
            for scored_fact in scored_facts()
            if scored_fact.example
        }
    )
    values = ObjectField(
        label=gettext_lazy("Metric values (JSON)"),
        help_text=format_lazy(gettext_lazy("Such as {example}"), example='{"accuracy": 0.8}'),
    )
    use_required_attribute = False

    def __init__(self, plugin: PluginDescription, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._entrypoint = plugin.entrypoint
        self.add_settings(plugin.entrypoint, plugin.config_schema or {}, {})

    def clean_values(self) -> dict[str, float]:
        values = self.cleaned_data["values"] or {}
        wrong = next((value for value in values.values() if not _is_number(value)), None)
        if wrong is not None:
            text = _("each value must be a finite number; got {sent}")
            raise ValidationError(text.format(sent=sent(wrong)))
        return {str(name): float(value) for name, value in values.items()}

    def tried(
        self, tenant: str, *, see_detail: bool, challenge: Challenge | None = None
    ) -> TrialResult | None:
        """What the scorer gives; None if the form has errors, which it then shows.

        challenge: the one whose own plugin it is.
        """
        facts = {
            scored_fact.key: self.cleaned_data.get(scored_fact.key)
            for scored_fact in scored_facts()
        }
        given = {key: value for key, value in facts.items() if value is not None}
        try:
            score = try_entrypoint(
                self._entrypoint,
                self.config(),
                given,
                self.cleaned_data["values"],
                tenant=tenant,
                challenge=challenge,
            )
        except ServiceError as refused:
            explain(self, refused)
            return None
        return _of_score(score, see_detail=see_detail)


class MetricTrial(FormWithSent):
    """The rewards of an invented attempt: a line per task, a number per sample."""

    k = forms.IntegerField(label=gettext_lazy("K"), min_value=1, max_value=1000, initial=3)
    rewards = forms.CharField(
        label=gettext_lazy("Rewards"),
        help_text=gettext_lazy("A line for each task, with the rewards of its samples."),
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false", "class": "json"}),
        initial="1 0 1\n0 0 0\n1 1 1\n0.5 1 0",
        max_length=20_000,
    )

    def __init__(self, plugin: PluginDescription, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._name = plugin.name
        if "K" not in plugin.name:
            del self.fields["k"]

    def clean_rewards(self) -> list[TaskSamples]:
        lines = [line for line in self.cleaned_data["rewards"].splitlines() if line.strip()]
        read = [[_number(text) for text in line.replace(",", " ").split()] for line in lines]
        if sum(map(len, read)) > MOST_REWARDS:
            template = _("must have at most {most} rewards; got {count}")
            raise ValidationError(template.format(most=MOST_REWARDS, count=sum(map(len, read))))
        return [
            TaskSamples(str(number), [{ONLY_REWARD: reward} for reward in rewards])
            for number, rewards in enumerate(read, 1)
        ]

    def tried(
        self, tenant: str, *, see_detail: bool, challenge: Challenge | None = None
    ) -> TrialResult:
        """What the metric gives."""
        name = self._name.replace("K", str(self.cleaned_data.get("k", "")))
        try:
            rewards = self.cleaned_data["rewards"]
            trial = try_metric(name, rewards, tenant=tenant, challenge=challenge)
        except MetricFailed as failed:
            return TrialResult("", [], [], translated(failed.message))
        except ServiceError as away:
            return TrialResult("", [], [], away.message)
        return result_of(trial, see_detail=see_detail)


class TextTrial(ScorerSettings, FormWithSent):
    """An output of a model with its references, and the parameters of the text metric."""

    output = forms.CharField(
        label=gettext_lazy("Output"),
        help_text=gettext_lazy("What a model answered. An empty text is an empty answer."),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        required=False,
        max_length=MOST_CHARACTERS,
    )
    references = forms.CharField(
        label=gettext_lazy("References"),
        help_text=gettext_lazy("What was expected: a reference in each line."),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        max_length=MOST_CHARACTERS,
    )
    use_required_attribute = False

    def __init__(self, plugin: PluginDescription, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self._plugin = plugin
        if not plugin.supervised:
            del self.fields["references"]
        self.add_settings(plugin.entrypoint, plugin.config_schema or {}, {})

    def clean_references(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["references"].splitlines()]
        return [line for line in lines if line][:MOST_REFERENCES]

    def tried(
        self, tenant: str, *, see_detail: bool, challenge: Challenge | None = None
    ) -> TrialResult | None:
        """What the text metric gives; None if the form has errors, which it then shows."""
        output, references = self.cleaned_data["output"], self.cleaned_data.get("references", [])
        try:
            trial = try_text_metric(
                self._plugin, output, references, self.config(), tenant=tenant, challenge=challenge
            )
        except ServiceError as refused:
            explain(self, refused)
            return None
        if trial.error:
            return TrialResult("", [], [], trial.error, trial.detail if see_detail else "")
        return _of_texts(trial)


PluginTrial = ScorerTrial | MetricTrial | TextTrial
TRIALS: Final[Mapping[str, type[PluginTrial]]] = {
    "scorer": ScorerTrial,
    "metric": MetricTrial,
    "text_metric": TextTrial,
}
"""The forms by the kinds of plugins that can be tried on a page."""


def result_of(trial: Tried, *, see_detail: bool) -> TrialResult:
    """What a metric or a script gave, as a page shows it."""
    output = trial.output if see_detail else ""
    if trial.failure is not None:
        error, task = translated(trial.failure.message), trial.failing_task or ""
        detail = trial.failure.detail if see_detail else ""
        return TrialResult("", [], [], error, detail, output, task)
    values = trial.values or {}
    if (numbers := values.get("values")) is not None:  # of a script
        lines = [Term(name, row_labels.number(number), "") for name, number in numbers.items()]
        return TrialResult("", lines, [], output=output)
    notes = []
    if values["interval"]:
        low, high = (row_labels.number(end) for end in values["interval"])
        text = _("95% interval: {low} to {high}, over tasks")
        notes.append(text.format(low=low, high=high))
    return TrialResult(row_labels.number(values["value"]), [], notes, output=output)


def wait_of(user: User) -> float | None:
    """Seconds until a user may try a plugin again; None: now. Counts the trial."""
    return wait_for(RATE_OF_USER, f"try:user-{user.pk}") or wait_for(RATE_OF_ALL, "try:all")


def seconds_of(user: User) -> int:
    """Whole seconds until a user may try a plugin again; 0: now. Counts the trial."""
    wait = wait_of(user)
    return 0 if wait is None else max(1, math.ceil(wait))


def wait_text(seconds: int) -> str:
    """What a page says to somebody who has to wait."""
    text = ngettext(
        "Plugins have been tried too often. Try again in {count} second.",
        "Plugins have been tried too often. Try again in {count} seconds.",
        seconds,
    )
    return text.format(count=seconds)


def _of_score(score: ReadScore, *, see_detail: bool) -> TrialResult:
    output = score.output if see_detail else ""
    if score.error_code:
        error = score.error_message or row_labels.error(score.error_code)
        detail = score.error_detail if see_detail else ""
        return TrialResult("", [], [], error, detail, output)
    details: Mapping[str, object] = score.details or {}
    notes = [note for note in (row_labels.clamp(score), score.details_note) if note]
    value = row_labels.value_text(get_column("score"), score.value)
    return TrialResult(value, terms(details, score.raw_value), notes, output=output)


def _of_texts(trial: TriedText) -> TrialResult:
    """The first number of a text metric, with the others as terms."""
    warnings = list(trial.warnings)
    if not trial.numbers:
        return TrialResult("", [], warnings, _("The text metric is not defined for this output."))
    value, *further_numbers = trial.numbers.items()
    lines = [Term(name, row_labels.number(number), "") for name, number in further_numbers]
    return TrialResult(row_labels.number(value[1]), lines, warnings)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValidationError(_("must be numbers; got {sent}").format(sent=sent(text)))
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < math.inf
