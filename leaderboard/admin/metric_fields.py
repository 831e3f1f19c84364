"""Form fields for the metrics and tasks of a challenge; services check the input."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput
from django.utils.translation import gettext as _

from leaderboard.facts import rankable_keys
from leaderboard.forms.json_fields import JsonField
from leaderboard.models import ScoringConfig, User
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.schemas.text_metrics import enabled
from leaderboard.services.plugins.metric_registry import known_metrics
from leaderboard.services.plugins.tenants import visible_plugins


class JsonListField(JsonField):
    """A JSON list, shown with one element per line."""

    widget = AdminTextareaWidget(attrs={"rows": 6, "spellcheck": "false"})

    def to_python(self, value: Any) -> Any:
        read = super().to_python(value)
        if read is not None and not isinstance(read, list):
            text = _("must be a JSON list: [ … ]; got {sent}")
            raise ValidationError(text.format(sent=sent(value)))
        return read or []

    def prepare_value(self, value: Any) -> Any:
        if value is None:  # an empty field that was posted
            return ""
        if isinstance(value, InvalidJSONInput) or not isinstance(value, list):
            return super().prepare_value(value)
        lines = (f" {json.dumps(item, ensure_ascii=False)}" for item in value)
        return "[{}]".format(",\n".join(lines).lstrip()) if value else ""


def rank_key_field(label: str) -> forms.Field:
    """A field for a fact, a metric's key or a reported value; it offers `known_rank_keys`."""
    widget = AdminTextInputWidget(attrs={"list": "known-rank-keys", "spellcheck": "false"})
    return forms.CharField(label=label, required=False, widget=widget)


def known_rank_keys(config: ScoringConfig | None, user: User) -> list[str]:
    """The keys that the page offers: facts, metrics of the newest config, costs, others."""
    own: list[str] = []
    metrics = visible_plugins(user, known_metrics())
    installed = [metric.name.replace("K", "1") for metric in metrics if metric.error is None]
    if config:
        texts = [spec.name for spec in enabled(config.named_specs)]
        own = [spec.name for spec in config.metric_specs] + texts + config.metric_keys
    return list(dict.fromkeys([*rankable_keys(), *own, *ECONOMICS, *installed]))
