"""Converts pydantic's JSON Schema (2020-12) to the form of OpenAPI 3.0, without references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

JsonShape = JsonSchemaValue
"""A part of an OpenAPI document."""

_BOUNDS: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
_ABSENT: Final[tuple[object, ...]] = (None, "", [], {})
"""Defaults that the document omits; clients could not send some of them."""
_LISTS: Final = ("anyOf", "oneOf", "allOf")


class _Generate(GenerateJsonSchema):
    """Generates JSON Schema without the titles that pydantic makes from names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def openapi_shape(schema: TypeAdapter[Any]) -> JsonShape:
    """The OpenAPI 3.0 schema of the JSON that a pydantic schema accepts."""
    described = schema.json_schema(schema_generator=_Generate, ref_template="{model}")
    return _without(_shape(described, described.get("$defs", {})), "title")


def _shape(described: Any, definitions: Mapping[str, Any]) -> JsonShape:
    found = _resolved(described, definitions)
    options = [each for each in found.get("anyOf", ()) if each.get("type") != "null"]
    if len(options) < len(found.get("anyOf", ())):
        found = {**_without(found, "anyOf"), "nullable": True}
        found |= _resolved(options[0], definitions) if len(options) == 1 else {"anyOf": options}
    return _parts(_older(found), definitions)


def _resolved(described: JsonSchemaValue, definitions: Mapping[str, Any]) -> JsonShape:
    """The schema with references replaced by their definitions.

    Only objects keep a title, which is the name of their class. Other titles are labels of forms,
    and describe a field that has no description.
    """
    if "$ref" in described:
        definition = definitions[described["$ref"]]
        title = {"title": definition["title"]} if "title" in definition else {}
        described = {**definition, **_without(described, "$ref"), **title}
    if described.get("default") in _ABSENT:
        described = _without(described, "default")
    if "title" in described and "properties" not in described:
        description = described.get("description") or f"{described['title']}."
        described = {**_without(described, "title"), "description": description}
    return _without(described, "$defs", "discriminator", "propertyNames")


def _older(found: JsonShape) -> JsonShape:
    """The schema with limits and constants in the form of OpenAPI 3.0."""
    for newer, older in _BOUNDS.items():
        if newer in found:
            found = {**found, older: found[newer], newer: True}
    if "const" in found:
        found = {**_without(found, "const"), "enum": [found["const"]]}
    return found


def _parts(found: JsonShape, definitions: Mapping[str, Any]) -> JsonShape:
    if "items" in found:
        found = {**found, "items": _shape(found["items"], definitions)}
    if "properties" in found:
        properties = found["properties"].items()
        found = {**found, "properties": {name: _shape(of, definitions) for name, of in properties}}
    if isinstance(found.get("additionalProperties"), dict):
        each = _shape(found["additionalProperties"], definitions)
        found = {**found, "additionalProperties": each}
    for name in _LISTS:
        if name in found:
            found = {**found, name: [_shape(each, definitions) for each in found[name]]}
    return found


def _without(described: Mapping[str, Any], *names: str) -> JsonShape:
    return {name: value for name, value in described.items() if name not in names}
