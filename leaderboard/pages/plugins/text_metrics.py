"""The text metrics and the metrics of predictions on the page of plugins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.models.choices import label_of
from leaderboard.pages.labels import row_labels
from leaderboard.pages.plugins.docs import doc_html
from leaderboard.pages.tables.config_table import ConfigField, fields_of, written
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.text_metrics import is_usable


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A text metric, or a metric of predictions, as text.

    install: the command that installs missing packages, "" if none. notes: sentences about its
    default parameters. error: why it cannot be used at all; detail: further details for the
    operator.
    """

    name: str
    entrypoint: str
    doc: SafeString
    notes: list[str]
    facts: list[tuple[str, str]]
    fields: list[ConfigField]
    parameters: str
    is_installed: bool
    install: str
    error: str
    detail: str


def text_entries(plugins: Iterable[PluginDescription], *, see_detail: bool) -> list[TextEntry]:
    return [_entry(plugin, see_detail=see_detail) for plugin in plugins]


def _entry(plugin: PluginDescription, *, see_detail: bool) -> TextEntry:
    error, usable, fields = plugin.error, is_usable(plugin), fields_of(plugin, {})
    return TextEntry(
        name=plugin.name or plugin.entrypoint.rpartition(":")[2] or _("Metrics"),
        entrypoint=plugin.entrypoint,
        doc=doc_html(plugin.doc),
        notes=list(_notes(plugin)) if usable else [],
        facts=list(_facts(plugin)) if usable else [],
        fields=fields,
        parameters=row_labels.count(len(fields), "parameter"),
        is_installed=error is None,
        install=plugin.install if error and usable else "",
        error="" if error is None or usable else translated(error.message),
        detail=error.detail if error and not usable and see_detail else "",
    )


def _notes(plugin: PluginDescription) -> Iterator[str]:
    for name, texts in plugin.notes.items():
        if text := texts.get(str((plugin.defaults or {}).get(name))):
            yield text


def _facts(plugin: PluginDescription) -> Iterator[tuple[str, str]]:
    yield _("Range"), _range(plugin.bounds) + (f" {plugin.unit}" if plugin.unit else "")
    yield _("Best"), _better(plugin.direction)
    for name, direction in plugin.directions.items():
        yield _("Best {name}").format(name=name), _better(direction)
    for name, bounds in plugin.ranges.items():
        yield _("Range of {name}").format(name=name), _range(bounds)
    if plugin.rows:
        yield _("Rows"), str(label_of(plugin.rows))
        return
    compared = _("references") if plugin.supervised else _("nothing: it needs no references")
    yield _("Compares with"), compared


def _better(direction: str) -> str:
    return _("lowest") if direction == "asc" else _("highest")


def _range(bounds: tuple[float | None, float | None] | None) -> str:
    match bounds:
        case (float() | int() as low, float() | int() as high):
            return _("{low} to {high}").format(low=written(low), high=written(high))
        case (float() | int() as low, None):
            return _("from {low} up").format(low=written(low))
        case (None, float() | int() as high):
            return _("up to {high}").format(high=written(high))
    return _("any number")
