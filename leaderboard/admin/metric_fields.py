"""Form fields for the metrics and tasks of a challenge. A field only reads; a verb judges."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput

from leaderboard.admin.config_fields import JsonField
from leaderboard.facts import rankable_keys
from leaderboard.models import ScoringConfig, User
from leaderboard.rules.spec_names import ECONOMICS
from leaderboard.rules.text_specs import enabled
from leaderboard.services.plugins.metric_registry import known_metrics
from leaderboard.services.plugins.tenants import shown_to


class JsonListField(JsonField):
    """A JSON list, an element a line."""

    widget = AdminTextareaWidget(attrs={"rows": 6, "spellcheck": "false"})

    def to_python(self, value: Any) -> Any:
        read = super().to_python(value)
        if read is not None and not isinstance(read, list):
            raise ValidationError("must be a JSON list: [ … ]")
        return read or []

    def prepare_value(self, value: Any) -> Any:
        if value is None:  # an empty field that was posted
            return ""
        if isinstance(value, InvalidJSONInput) or not isinstance(value, list):
            return super().prepare_value(value)
        lines = (f" {json.dumps(each, ensure_ascii=False)}" for each in value)
        return "[{}]".format(",\n".join(lines).lstrip()) if value else ""


class MetricFields(forms.Form):
    """What a challenge makes of the samples of tasks; the names are those of the API."""

    metrics = JsonListField(
        label="Metrics",
        help_text=(
            "A JSON list of names or objects: "
            '["pass@1", {"type": "mean", "name": "physics", "reward": "physics_reward"}]. '
            '"group", "over", "min_coverage" and "reported" say which tasks a metric is over, how '
            "many it needs to rank, and what becomes of a value that participants state."
        ),
    )
    tasks = JsonListField(
        label="Tasks",
        help_text=(
            "A JSON list of the tasks and the rewards that each of their samples must have: "
            '[{"name": "task-1", "rewards": ["reward"], "group": "science", "weight": 1}]. '
            "Empty: the tasks that attempts contain."
        ),
    )
    rewards = JsonListField(
        label="Bounds of rewards",
        help_text=(
            "A JSON list of the lowest and the highest value of rewards, as far as they are known: "
            '[{"name": "physics_reward", "min": 0, "max": 100}]. Other rewards are refused, and '
            "intervals stay within."
        ),
    )
    num_samples = forms.IntegerField(
        label="Samples of a task", required=False, help_text="How many count. Empty: all."
    )
    min_coverage = forms.FloatField(
        label="Least coverage",
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="Share of the tasks that the first ranked metric has to cover: 0.9.",
    )
    unknown_tasks = forms.ChoiceField(
        label="Samples of other tasks",
        required=False,
        choices=[("refuse", "refused"), ("keep", "taken as well")],
        help_text="Used if tasks are declared.",
    )


def rank_key_field(label: str) -> forms.Field:
    """A fact, a metric's key, a number that participants report: `known_rank_keys` are offered."""
    widget = AdminTextInputWidget(attrs={"list": "known-rank-keys", "spellcheck": "false"})
    return forms.CharField(label=label, required=False, widget=widget)


def known_rank_keys(config: ScoringConfig | None, user: User) -> list[str]:
    """What the page offers to rank by: facts, metrics of the newest config, economics, others."""
    own: list[str] = []
    known = shown_to(user, known_metrics())
    installed = [each.name.replace("K", "1") for each in known if each.error is None]
    if config:
        texts = [spec.name for spec in enabled(config.text_specs)]
        own = [spec.name for spec in config.metric_specs] + texts + config.metric_keys
    return list(dict.fromkeys([*rankable_keys(), *own, *ECONOMICS, *installed]))
