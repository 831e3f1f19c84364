"""Form fields that offer the metrics of this server as boxes to tick."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.forms.plugin_choices import described, usable_plugins
from leaderboard.models import User
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.descriptions import PluginDescription

_ADDED = gettext_lazy("Those that are ticked are added to the list above when you save.")


class MetricChoice(FormWithSent):
    """Adds ticked metrics to the lists above, which hold the settings of each metric."""

    metrics_chosen = forms.MultipleChoiceField(
        label=gettext_lazy("Add metrics"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_ADDED,
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
        help_text=_ADDED,
    )

    def offer_metrics(self, user: User | None) -> None:
        """Set the choices: every metric that the user may see, with its first sentence."""
        plugins = known_plugins()
        self._offer("metrics_chosen", usable_plugins(user, plugins.metrics))
        self._offer("text_metrics_chosen", usable_plugins(user, plugins.text_metrics))

    def with_chosen(self, lists: SentFields) -> SentFields:
        """The lists `metrics` and `text_metrics` with the ticked ones that they lack."""
        typed = self.cleaned_data
        chosen = with_k(typed.get("metrics_chosen") or (), typed.get("metrics_k"))
        texts = typed.get("text_metrics_chosen") or ()
        ticked = {"metrics": (chosen, "type"), "text_metrics": (texts, "id")}
        return {name: _extended(entries, *ticked[name]) for name, entries in lists.items()}

    def _offer(self, name: str, plugins: Iterable[PluginDescription]) -> None:
        field = cast(forms.MultipleChoiceField, self.fields[name])
        field.choices = [(plugin.name, described(plugin.name, plugin)) for plugin in plugins]


def with_k(metrics: Iterable[str], k: int | None) -> list[str]:
    """The names, with a number for each K."""
    return [name.replace("K", str(k or 1)) for name in metrics]


def _extended(entries: Sequence[Any], chosen: Iterable[str], key: str) -> list[Any]:
    names = {
        entry.get("name", entry.get(key)) if isinstance(entry, dict) else entry for entry in entries
    }
    return [*entries, *(name for name in chosen if name not in names)]
