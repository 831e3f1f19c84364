"""Reads a text metric's description of itself from its optional class attributes."""

import importlib.util
from contextlib import suppress
from math import isfinite
from typing import NamedTuple

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.text_results import MAX_KEYS
from leaderboard.rules.texts.plugin_output import cut
from leaderboard.sandbox.child.text_faults import fault_of
from leaderboard.sandbox.contract import Failure, PluginDirection

MAX_INSTALL_BYTES = 300
MAX_NOTE_BYTES = 500


Bounds = tuple[float | None, float | None]


class Traits(NamedTuple):
    """How to call a text metric, and how to read its numbers."""

    averaged: bool
    combines: bool
    supervised: bool
    parallel: bool
    bounds: Bounds | None
    direction: PluginDirection
    directions: dict[str, PluginDirection]
    notes: dict[str, dict[str, str]]
    variants: dict[str, str]
    ranges: dict[str, Bounds]


def traits_of(plugin: type) -> Traits:
    """The attributes of a text metric, as plain values; an invalid one counts as absent."""
    return Traits(
        averaged=getattr(plugin, "averaged", False) is True,
        combines=callable(getattr(plugin, "combine", None)),
        supervised=getattr(plugin, "supervised", True) is not False,
        parallel=getattr(plugin, "parallel", True) is not False,
        bounds=bounds_of(getattr(plugin, "bounds", None)),
        direction=_direction(getattr(plugin, "direction", "desc")),
        directions=_directions(getattr(plugin, "directions", None)),
        notes=_notes(getattr(plugin, "notes", None)),
        variants=_variants(getattr(plugin, "variants", None)),
        ranges=_ranges(getattr(plugin, "ranges", None)),
    )


def described(plugin: type) -> JsonObject:
    """The fields of a description that only text metrics have.

    They include an `error` if an attribute is invalid or the metric is not installed.
    """
    error = fault_of(plugin) or not_installed(plugin)
    traits = traits_of(plugin)._asdict()
    fields: JsonObject = traits | {"install": install_of(plugin)}
    return fields if error is None else fields | {"error": list(error)}


def not_installed(plugin: type) -> Failure | None:
    """The failure of a metric that needs a missing module; imports nothing."""
    missing = [name for name in _needs(plugin) if not _is_installed(name)]
    return missing_failure(plugin, missing[0]) if missing else None


def missing_failure(plugin: type, module: str) -> Failure:
    """`not_installed`, with the command that installs the module, if the metric has one."""
    name, install = cut(str(getattr(plugin, "id", plugin.__name__)), 200), install_of(plugin)
    how = install or f"it needs the Python package {module[:80]}"
    return Failure("not_installed", f"{name} is not installed here: {how}")


def needs(plugin: type, module: str) -> bool:
    """Whether a metric declares that it needs a module, or the package that holds it."""
    return module.partition(".")[0] in {name.partition(".")[0] for name in _needs(plugin)}


def _needs(plugin: type) -> list[str]:
    needs = getattr(plugin, "needs", ())
    return [str(name) for name in needs] if isinstance(needs, tuple | list) else [str(needs)]


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def install_of(plugin: type) -> str:
    """The command that installs what a plugin needs, "" if it does not say so."""
    return cut(str(getattr(plugin, "install", "")), MAX_INSTALL_BYTES)


def bounds_of(value: object) -> Bounds | None:
    """The lowest and the highest value that a plugin declares; None if it declares none."""
    match value:
        case (low, high):
            return bound_of(low), bound_of(high)
    return None


def bound_of(value: object) -> float | None:
    """A finite number; None for no bound, which an author may also write as an infinity."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    with suppress(OverflowError):  # an integer beyond all floats bounds nothing
        return float(value) if isfinite(value) else None
    return None


def _direction(value: object) -> PluginDirection:
    return "asc" if value == "asc" else "desc"


def _directions(value: object) -> dict[str, PluginDirection]:
    if not isinstance(value, dict):
        return {}
    return {cut(str(key), 80): _direction(value[key]) for key in list(value)[:MAX_KEYS]}


def _notes(notes: object) -> dict[str, dict[str, str]]:
    if not isinstance(notes, dict):
        return {}
    return {
        cut(str(name), 80): {
            cut(str(value), 80): cut(str(note[value]), MAX_NOTE_BYTES)
            for value in list(note)[:MAX_KEYS]
        }
        for name, note in list(notes.items())[:MAX_KEYS]
        if isinstance(note, dict)
    }


def _variants(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {cut(str(name), 80): cut(str(value[name]), 80) for name in list(value)[:MAX_KEYS]}


def _ranges(value: object) -> dict[str, Bounds]:
    if not isinstance(value, dict):
        return {}
    ranges = {cut(str(key), 80): bounds_of(value[key]) for key in list(value)[:MAX_KEYS]}
    return {key: bounds for key, bounds in ranges.items() if bounds is not None}
