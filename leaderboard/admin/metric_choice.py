"""Form fields that offer the metrics of this server as checkboxes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import translated
from leaderboard.models import User
from leaderboard.rules.json.untyped_dicts import FormValues
from leaderboard.rules.plugins.descriptions import known_text
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.metric_registry import known_metrics
from leaderboard.services.plugins.tenants import visible_plugins
from leaderboard.services.plugins.text_metrics import is_usable, known_text_metrics

WORDS = 16


class MetricChoice(FormWithSent):
    """Adds checked metrics to the JSON lists, which hold the other settings of each metric."""

    metrics_chosen = forms.MultipleChoiceField(
        label=gettext_lazy("Add metrics"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Those that are ticked are added to the list above when you save."),
    )
    metrics_k = forms.IntegerField(
        label=gettext_lazy("K"),
        required=False,
        min_value=1,
        help_text=gettext_lazy("Of ticked metrics with a K. Empty: 1."),
    )
    text_metrics_chosen = forms.MultipleChoiceField(
        label=gettext_lazy("Add text metrics"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Those that are ticked are added to the list above when you save."),
    )

    def offer_metrics(self, user: User | None) -> None:
        """Set the choices: every metric that the user may see, with its first sentence."""
        usable = [
            metric for metric in visible_plugins(user, known_metrics()) if metric.error is None
        ]
        self._offer("metrics_chosen", usable)
        text_metrics = visible_plugins(user, known_text_metrics())
        texts = [metric for metric in text_metrics if is_usable(metric) and not metric.error]
        self._offer("text_metrics_chosen", texts)

    def add_chosen(self, cleaned: FormValues) -> None:
        """Add the checked metrics at the end of the lists, unless they are there already."""
        k = cleaned.get("metrics_k") or 1
        chosen = [name.replace("K", str(k)) for name in cleaned.get("metrics_chosen") or ()]
        _extend(cleaned, "metrics", chosen, "type")
        _extend(cleaned, "text_metrics", cleaned.get("text_metrics_chosen") or (), "id")

    def _offer(self, name: str, plugins: Iterable[PluginDescription]) -> None:
        field = cast(forms.MultipleChoiceField, self.fields[name])
        field.choices = _choices(plugins)


def _choices(plugins: Iterable[PluginDescription]) -> list[tuple[str, SafeString]]:
    return [
        (plugin.name, format_html("<code>{}</code> {}", plugin.name, _first_words(plugin.doc)))
        for plugin in plugins
    ]


def _first_words(doc: str) -> str:
    first = " ".join(doc.partition("\n\n")[0].split())
    return Truncator(translated(known_text(first))).words(WORDS)


def _extend(cleaned: FormValues, field: str, chosen: Iterable[str], key: str) -> None:
    entries = cleaned.get(field)
    if not isinstance(entries, list):
        return  # refused already, with the reason beside it
    names = {
        entry.get("name", entry.get(key)) if isinstance(entry, dict) else entry for entry in entries
    }
    cleaned[field] = [*entries, *(name for name in chosen if name not in names)]
