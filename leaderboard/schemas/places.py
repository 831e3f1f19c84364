"""The part of a schema that a path leads to, by pydantic's core schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Core = Mapping[str, Any]
"""A core schema, as `TypeAdapter.core_schema` gives it."""

_WRAPPERS: Final = frozenset(
    {
        "default",
        "definitions",
        "function-after",
        "function-before",
        "function-wrap",
        "model",
        "model-field",
        "nullable",
        "typed-dict-field",
    }
)


def layers_at(root: Core, path: Sequence[int | str]) -> list[Core]:
    """The schemas of the value at a path: defaults, null, functions, and last the value's own.

    path: as pydantic gives it; the tags of unions are parts of it. [] if it leads nowhere.
    """
    definitions = {definition["ref"]: definition for definition in root.get("definitions", ())}
    layers = _layers(root, definitions)
    for part in path:
        schema = _step(layers[-1], part) if layers else None
        layers = _layers(schema, definitions) if schema is not None else []
    return layers


def fields_of(layers: Sequence[Core]) -> list[str]:
    """The names of an object's fields, as JSON has them."""
    fields = layers[-1].get("fields", {}) if layers else {}
    return [_name(name, field) for name, field in fields.items()]


def _layers(schema: Core, definitions: Mapping[str, Core]) -> list[Core]:
    layers = [schema]
    while True:
        if schema["type"] == "definition-ref":
            schema = definitions[schema["schema_ref"]]
        elif schema["type"] in _WRAPPERS:
            schema = schema["schema"]
        else:
            return layers
        layers.append(schema)


def _step(schema: Core, part: int | str) -> Core | None:
    """The schema of one part of a list, an object or a union."""
    match schema:
        case {"fields": fields}:
            named = {_name(name, field): field for name, field in fields.items()}
            return named.get(str(part))
        case {"type": "tagged-union", "choices": choices}:
            choice: Core | None = choices.get(part)
            return choice
        case {"type": "tuple", "items_schema": [item]}:
            return dict(item)
        case {"type": "list" | "set", "items_schema": item}:
            return dict(item)
        case {"type": "dict", "values_schema": values}:
            return dict(values)
    return None


def _name(name: str, field: Core) -> str:
    return str(field.get("validation_alias", name))
