"""`/plugins/`: the scorers that challenges on this server may name."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from leaderboard.pages.config_table import Field, fields_of
from leaderboard.pages.markdown import to_html
from leaderboard.services.plugins import PluginDescription, known_scorers


@dataclass(frozen=True, slots=True)
class Entry:
    """A scorer as the page shows it; `error` says why it cannot be used."""

    name: str
    entrypoint: str
    doc: SafeString
    fields: list[Field]
    takes_anything: bool
    error: str
    detail: str


@require_safe
def plugin_list(request: HttpRequest) -> HttpResponse:
    see_detail = request.user.is_staff
    entries = [_entry(plugin, see_detail=see_detail) for plugin in known_scorers()]
    return render(request, "pages/plugins.html", {"entries": entries})


def _entry(plugin: PluginDescription, *, see_detail: bool) -> Entry:
    return Entry(
        name=plugin.name or plugin.entrypoint.rpartition(":")[2] or "Scorers",
        entrypoint=plugin.entrypoint,
        doc=to_html(plugin.doc),
        fields=fields_of(plugin, {}),
        takes_anything=plugin.config_schema is None and plugin.defaults is None,
        error=plugin.error.message if plugin.error else "",
        detail=plugin.error.detail if plugin.error and see_detail else "",
    )
