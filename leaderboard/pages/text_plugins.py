"""The text metrics on the page of plugins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.pages import labels
from leaderboard.pages.config_table import Field, fields_of, written
from leaderboard.pages.markdown import to_html
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.text_metrics import is_usable


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A text metric in words. `install`: the line that installs what is missing, "" if nothing is.

    notes: what its parameters make of its values by default.
    error: why it cannot be used at all; `detail` says more to the operator.
    """

    name: str
    entrypoint: str
    doc: SafeString
    notes: list[str]
    facts: list[tuple[str, str]]
    fields: list[Field]
    parameters: str
    is_installed: bool
    install: str
    error: str
    detail: str


def text_entries(known: Iterable[PluginDescription], *, see_detail: bool) -> list[TextEntry]:
    return [_entry(plugin, see_detail=see_detail) for plugin in known]


def _entry(plugin: PluginDescription, *, see_detail: bool) -> TextEntry:
    error, usable, fields = plugin.error, is_usable(plugin), fields_of(plugin, {})
    return TextEntry(
        name=plugin.name or plugin.entrypoint.rpartition(":")[2] or "Text metrics",
        entrypoint=plugin.entrypoint,
        doc=to_html(plugin.doc),
        notes=list(_notes(plugin)) if usable else [],
        facts=list(_facts(plugin)) if usable else [],
        fields=fields,
        parameters=labels.count(len(fields), "parameter"),
        is_installed=error is None,
        install=plugin.install if error and usable else "",
        error="" if error is None or usable else error.message,
        detail=error.detail if error and not usable and see_detail else "",
    )


def _notes(plugin: PluginDescription) -> Iterator[str]:
    for name, texts in plugin.notes.items():
        if text := texts.get(str((plugin.defaults or {}).get(name))):
            yield text


def _facts(plugin: PluginDescription) -> Iterator[tuple[str, str]]:
    yield "Range", _range(plugin.bounds) + (f" {plugin.unit}" if plugin.unit else "")
    yield "Best", _better(plugin.direction)
    for name, direction in plugin.directions.items():
        yield f"Best {name}", _better(direction)
    for name, bounds in plugin.ranges.items():
        yield f"Range of {name}", _range(bounds)
    yield "Compares with", "references" if plugin.supervised else "nothing: it needs no references"


def _better(direction: str) -> str:
    return "lowest" if direction == "asc" else "highest"


def _range(bounds: tuple[float | None, float | None] | None) -> str:
    match bounds:
        case (float() | int() as low, float() | int() as high):
            return f"{written(low)} to {written(high)}"
        case (float() | int() as low, None):
            return f"from {written(low)} up"
        case (None, float() | int() as high):
            return f"up to {written(high)}"
    return "any number"
