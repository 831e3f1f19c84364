"""A scorer's config as a table: what each field means, what it is, what it would be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.services.plugins import PluginDescription

_LIMITS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a config. `is_default`: nobody has set it."""

    name: str
    description: str
    limits: str
    value: str
    default: str
    is_default: bool


def fields_of(plugin: PluginDescription, config: Mapping[str, Any]) -> list[Field]:
    """Every field that the scorer describes or the config sets, in the scorer's order."""
    schemas = (plugin.config_schema or {}).get("properties", {})
    defaults = {name: schema["default"] for name, schema in schemas.items() if "default" in schema}
    defaults |= plugin.defaults or {}
    given = {name: value for name, value in config.items() if value is not None}
    names = list(dict.fromkeys([*schemas, *defaults, *given]))
    return [_field(name, schemas.get(name, {}), defaults, given) for name in names]


def written(value: Any) -> str:
    """A value of a config as people read it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _field(
    name: str, schema: Mapping[str, Any], defaults: Mapping[str, Any], given: Mapping[str, Any]
) -> Field:
    value = given.get(name, defaults.get(name))
    return Field(
        name=name,
        description=schema.get("description", ""),
        limits=", ".join(
            f"{word} {written(schema[key])}" for key, word in _LIMITS.items() if key in schema
        ),
        value="" if value is None else written(value),
        default=written(defaults[name]) if name in defaults else "",
        is_default=name not in given or given[name] == defaults.get(name),
    )
