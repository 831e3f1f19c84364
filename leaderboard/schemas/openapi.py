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
    shape = _resolved(described, definitions)
    options = [option for option in shape.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) < len(shape.get("anyOf", ())):
        shape = {**_without(shape, "anyOf"), "nullable": True}
        shape |= _resolved(options[0], definitions) if len(options) == 1 else {"anyOf": options}
    return _parts(_older(shape), definitions)


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


def _older(shape: JsonShape) -> JsonShape:
    """The schema with limits and constants in the form of OpenAPI 3.0."""
    for newer, older in _BOUNDS.items():
        if newer in shape:
            shape = {**shape, older: shape[newer], newer: True}
    if "const" in shape:
        shape = {**_without(shape, "const"), "enum": [shape["const"]]}
    return shape


def _parts(shape: JsonShape, definitions: Mapping[str, Any]) -> JsonShape:
    if "items" in shape:
        shape = {**shape, "items": _shape(shape["items"], definitions)}
    if "properties" in shape:
        properties = shape["properties"].items()
        shape = {**shape, "properties": {name: _shape(of, definitions) for name, of in properties}}
    if isinstance(shape.get("additionalProperties"), dict):
        additional = _shape(shape["additionalProperties"], definitions)
        shape = {**shape, "additionalProperties": additional}
    for name in _LISTS:
        if name in shape:
            shape = {**shape, name: [_shape(option, definitions) for option in shape[name]]}
    return shape


def _without(described: Mapping[str, Any], *names: str) -> JsonShape:
    return {name: value for name, value in described.items() if name not in names}
