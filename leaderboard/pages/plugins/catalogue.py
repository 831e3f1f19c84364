"""`/plugins/`: the scorers and metrics that challenges may name, and the formats of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from leaderboard.columns import get_column
from leaderboard.importers import known_importers
from leaderboard.languages.docstrings import first_paragraph
from leaderboard.languages.translation import count_text, translated
from leaderboard.models import User
from leaderboard.pages.labels import row_labels
from leaderboard.pages.plugins.docs import doc_html
from leaderboard.pages.plugins.text_metrics import text_entries
from leaderboard.pages.tables.config_table import ConfigField, fields_of
from leaderboard.rules.texts.value_names import ECONOMICS
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.tenants import visible_plugins

MOST_SEARCH: Final = 120


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """A scorer as the page shows it; `error` says why it cannot be used."""

    name: str
    entrypoint: str
    doc: SafeString
    fields: list[ConfigField]
    takes_anything: bool
    error: str
    detail: str


@dataclass(frozen=True, slots=True)
class PluginPageMetric:
    """A metric in a line; a K in its name stands for any number. `error`: why it cannot be used."""

    name: str
    entrypoint: str
    over: str
    doc: str
    error: str


@require_safe
def plugin_list(request: HttpRequest) -> HttpResponse:
    see_detail = request.user.is_staff
    plugins = known_plugins()
    user = request.user if isinstance(request.user, User) else None
    search = request.GET.get("q", "").strip()[:MOST_SEARCH]
    scorers, metrics, texts, predictions = (
        [
            plugin
            for plugin in visible_plugins(user, kind_plugins)
            if _holds(search, plugin.name, plugin.entrypoint, plugin.doc)
        ]
        for kind_plugins in plugins.by_kind
    )
    importers = [
        importer
        for importer in known_importers().values()
        if _holds(search, importer.key, translated(importer.label), translated(importer.accepts))
    ]
    economics = [
        column
        for column in row_labels.spoken(map(get_column, ECONOMICS))
        if _holds(search, column.key, column.description)
    ]
    matches = [*scorers, *metrics, *texts, *predictions, *importers, *economics]
    context = {
        "search": search,
        "matches": _count(matches) if search else "",
        "entries": [_entry(plugin, see_detail=see_detail) for plugin in scorers],
        "metrics": [_metric(plugin) for plugin in metrics],
        "economics": economics,
        "texts": text_entries(texts, see_detail=see_detail),
        "predictions": text_entries(predictions, see_detail=see_detail),
        "importers": importers,
    }
    return render(request, "pages/plugins.html", context)


def _holds(search: str, *texts: str) -> bool:
    """Whether each word of a search is in one of the texts."""
    everything = "\n".join(texts).casefold()
    return all(word in everything for word in search.casefold().split())


def _count(plugins: Sequence[object]) -> str:
    text = ngettext("{count} found", "{count} found", len(plugins))
    return text.format(count=count_text(len(plugins)))


def _metric(plugin: PluginDescription) -> PluginPageMetric:
    return PluginPageMetric(
        name=plugin.name or plugin.entrypoint or _("Metrics of plugins"),
        entrypoint=plugin.entrypoint,
        over=plugin.over,
        doc=first_paragraph(plugin.doc),
        error=translated(plugin.error.message) if plugin.error else "",
    )


def _entry(plugin: PluginDescription, *, see_detail: bool) -> PluginEntry:
    return PluginEntry(
        name=plugin.name or plugin.entrypoint.rpartition(":")[2] or _("Scorers"),
        entrypoint=plugin.entrypoint,
        doc=doc_html(plugin.doc),
        fields=fields_of(plugin, {}),
        takes_anything=plugin.config_schema is None and plugin.defaults is None,
        error=translated(plugin.error.message) if plugin.error else "",
        detail=plugin.error.detail if plugin.error and see_detail else "",
    )
