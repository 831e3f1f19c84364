"""The form of a JSON schema, as far as forms and pages read it. Plugins write their schemas."""

from typing import Any, Final

from leaderboard.rules.json.values import JsonSchema

_TEXTS: Final = ("type", "title", "description", "format", "pattern", "$ref")
_NUMBERS: Final = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
    *("minItems", "maxItems"),
)
_LARGEST: Final = 1e300
_NAMED: Final = ("properties", "patternProperties", "$defs")
_LISTED: Final = ("anyOf", "oneOf", "allOf", "prefixItems")


def fault_of_schema(schema: Any) -> str:
    """The first keyword with a value that cannot be read; "" if there is none."""
    if not isinstance(schema, dict):
        return "schema"
    for name, value in schema.items():
        if not _is_readable(name, value):
            return str(name)
    return next(filter(None, map(fault_of_schema, _inner(schema))), "")


def _is_readable(name: str, value: Any) -> bool:
    if name in _TEXTS:
        return isinstance(value, str)
    if name in _NUMBERS:
        return isinstance(value, int | float) and -_LARGEST <= value <= _LARGEST
    if name in _NAMED:
        return isinstance(value, dict)
    if name in _LISTED or name == "enum":
        return isinstance(value, list) and value != []
    return True


def _inner(schema: JsonSchema) -> list[Any]:
    """The schemas directly within a schema."""
    schemas = [inner for name in _NAMED for inner in schema.get(name, {}).values()]
    schemas += [inner for name in _LISTED for inner in schema.get(name, ())]
    additional = schema.get("additionalProperties")
    schemas += [additional] if not isinstance(additional, bool | None) else []
    return [*schemas, schema["items"]] if "items" in schema else schemas
