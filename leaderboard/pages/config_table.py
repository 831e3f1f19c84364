"""A plugin's config as a table: what each field means, what it is, what it would be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.services.plugins.descriptions import PluginDescription

_LIMITS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
_COUNTS = {"minItems": "at least", "maxItems": "at most"}
_TYPES = {
    "number": "number",
    "integer": "whole number",
    "string": "text",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
_SEVERAL = {"number": "numbers", "integer": "whole numbers", "string": "texts", "array": "lists"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a config.

    `limits`: the accepted values of its type. `is_default`: it was not set.
    """

    name: str
    description: str
    type: str
    limits: str
    value: str
    default: str
    is_default: bool


def fields_of(plugin: PluginDescription, config: Mapping[str, Any]) -> list[Field]:
    """Every field that the plugin describes or the config sets, in the plugin's order."""
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
        type=_type_of(schema),
        limits="; ".join(_limits_of(schema)),
        value="" if value is None else written(value),
        default=written(defaults[name]) if name in defaults else "",
        is_default=name not in given or given[name] == defaults.get(name),
    )


def _type_of(schema: Mapping[str, Any]) -> str:
    """`list of numbers`, `text or null`; "" where the schema does not say."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type_of, schema["anyOf"])))
    kind = schema.get("type", "")
    if kind == "array":
        each = _SEVERAL.get(schema.get("items", {}).get("type", ""), "values")
        return f"list of {each}"
    return _TYPES.get(kind, "object" if "$ref" in schema else "")


def _limits_of(schema: Mapping[str, Any]) -> Iterator[str]:
    for each in schema.get("anyOf", ()):
        yield from _limits_of(each)
    if "enum" in schema:
        yield _choices(schema["enum"])
    if "const" in schema:
        yield f"only {written(schema['const'])}"
    bounds = [f"{word} {written(schema[key])}" for key, word in _LIMITS.items() if key in schema]
    if bounds:
        yield ", ".join(bounds)
    if "pattern" in schema:
        yield f"of the pattern {schema['pattern']}"
    if "items" in schema:
        yield from (f"each {limit}" for limit in _limits_of(schema["items"]))
    counts = [f"{word} {schema[key]}" for key, word in _COUNTS.items() if key in schema]
    if counts:
        yield f"{', '.join(counts)} of them"


def _choices(values: Sequence[Any]) -> str:
    said = [written(value) for value in values]
    return f"{', '.join(said[:-1])} or {said[-1]}" if len(said) > 1 else f"only {said[0]}"
