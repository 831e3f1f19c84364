"""Checks a plugin's config against its pydantic model `Config` or its dict `defaults`.

A plugin that declares neither accepts any config.
"""

from collections.abc import Mapping
from numbers import Number
from types import NoneType
from typing import Any, get_args

from leaderboard.rules.json_values import JsonObject
from leaderboard.rules.sent import sent
from leaderboard.rules.texts import class_name, cut

ConfigErrors = dict[str, list[str]]
Config = JsonObject

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_TYPES |= {list: "array", dict: "object"}
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_WORDS |= {list: "a list", dict: "an object"}
_MAX_MESSAGE = 500
_BOUNDS = ("greater_than", "less_than", "multiple_of")

_ACCEPTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number, {ge} or more",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number, {le} or less",
    "multiple_of": "a multiple of {multiple_of}",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "string_pattern_mismatch": "a text that matches {pattern}",
}
_ACCEPTED |= {kind.replace("_type", "_parsing"): text for kind, text in _ACCEPTED.items()}
"""What is accepted, by the types of pydantic's errors; their `ctx` has the limits."""

_OUTSIDE = {
    "greater_than": "a smaller number",
    "greater_than_equal": "a smaller number",
    "less_than": "a larger number",
    "less_than_equal": "a larger number",
    "multiple_of": "another number",
    "literal_error": "another value",
    "enum": "another value",
    "string_too_short": "a shorter text",
    "string_too_long": "a longer text",
    "string_pattern_mismatch": "another text",
}
"""What was sent, if it is of the right kind. The value itself may be a secret."""


class ConfigRefused(ValueError):
    """A config that its scorer does not accept; `errors` by field name."""

    def __init__(self, errors: ConfigErrors) -> None:
        super().__init__("; ".join(f"{name}: {texts[0]}" for name, texts in errors.items()))
        self.errors = errors


def schema_of(plugin: type) -> tuple[JsonObject | None, Config | None]:
    """The JSON schema of a plugin's config and its default values, None if undeclared."""
    model, defaults = _model_of(plugin), _defaults_of(plugin)
    if model is not None:
        schema = model.model_json_schema()
        fields = schema.get("properties", {})
        for name, field in model.model_fields.items():
            # pydantic marks only secret texts in the schema, no other kind of secret.
            if _is_secret(field.annotation):
                fields.get(field.alias or name, {})["writeOnly"] = True
        return schema, {name: each["default"] for name, each in fields.items() if "default" in each}
    if defaults is not None:
        return _schema_from(defaults), defaults
    return None, None


def check(plugin: type, config: Config) -> tuple[ConfigErrors, Config]:
    """Errors by field name, and the config as JSON with defaults filled in (as given if wrong)."""
    try:
        model = _model_of(plugin)
        if model is not None:
            return {}, _validate(model, config).model_dump(mode="json")
        return {}, fill(plugin, config)
    except ConfigRefused as refused:
        return refused.errors, config


def fill(plugin: type, config: Config) -> Config:
    """The config that the plugin is called with. Raises ConfigRefused.

    An explicit null counts as missing, unless null is among the values that a field accepts.
    """
    model, defaults = _model_of(plugin), _defaults_of(plugin)
    if model is not None:
        filled: Config = _validate(model, config).model_dump()
        return filled
    if defaults is not None:
        return _merge(defaults, config)
    return config


def _model_of(plugin: type) -> Any:
    """The pydantic model of a plugin, if any.

    Its methods identify it, so that pydantic stays optional.
    """
    model = getattr(plugin, "Config", None)
    return model if callable(getattr(model, "model_validate", None)) else None


def _is_secret(annotation: Any) -> bool:
    """Whether a field is a pydantic secret; the methods of its type identify it."""
    kinds = (annotation, getattr(annotation, "__origin__", None), *get_args(annotation))
    return any(callable(getattr(kind, "get_secret_value", None)) for kind in kinds)


def _defaults_of(plugin: type) -> Config | None:
    defaults = getattr(plugin, "defaults", None)
    return dict(defaults) if isinstance(defaults, dict) else None


# A pydantic model.


def _validate(model: Any, config: Config) -> Any:
    fields = model.model_fields
    known = {*fields, *(field.alias for field in fields.values() if field.alias)}
    given = {name: value for name, value in config.items() if not _is_missing(fields, name, value)}
    errors = {name: [_unknown(name, known)] for name in given if name not in known}
    try:
        valid = model.model_validate({name: given[name] for name in given if name in known})
    except ValueError as error:
        errors |= _errors_by_field(error)
    if errors:
        raise ConfigRefused(errors)
    return valid


def _is_missing(fields: Mapping[str, Any], name: str, value: object) -> bool:
    if value is not None or name not in fields:
        return False
    kind = fields[name].annotation
    return kind is not Any and kind is not NoneType and NoneType not in get_args(kind)


def _errors_by_field(error: ValueError) -> ConfigErrors:
    found: ConfigErrors = {}
    if not callable(getattr(error, "errors", None)):
        return {"": [f"This was refused with {class_name(error)}."]}
    for each in error.errors(include_url=False):  # type: ignore[attr-defined]
        name = ".".join(str(part) for part in each["loc"])
        found.setdefault(name, []).append(cut(_said(each), _MAX_MESSAGE))
    return found


def _said(error: Mapping[str, Any]) -> str:
    """An error of pydantic in our form; the plugin's own sentence if a validator of it raised."""
    kind, text = error.get("type"), str(error["msg"])
    if kind == "missing":
        return "is required; got nothing"
    if kind in ("value_error", "assertion_error"):
        return text.removeprefix("Value error, ").removeprefix("Assertion failed, ")
    accepted = _accepted(str(kind), error.get("ctx", {}))
    got = _kind(error.get("input"))
    if accepted is None:
        return f"must be another value ({text}); got {got}"
    return f"must be {accepted}; got {_OUTSIDE.get(str(kind), got)}"


def _accepted(kind: str, limits: Mapping[str, Any]) -> str | None:
    """What a setting may be; None for errors that are not described here, such as of dates."""
    of_numbers = kind.startswith(_BOUNDS)
    if of_numbers and not all(isinstance(each, Number) for each in limits.values()):
        return None
    try:
        return _ACCEPTED[kind].format_map({name: _limit(each) for name, each in limits.items()})
    except KeyError:
        return None


def _limit(value: object) -> object:
    """A limit without the `.0` that pydantic adds to whole numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# A dict of defaults.


def _merge(defaults: Config, config: Config) -> Config:
    given = {name: value for name, value in config.items() if value is not None}
    errors: ConfigErrors = {}
    for name, value in config.items():
        if name not in defaults:
            errors[name] = [_unknown(name, set(defaults))]
        elif value is not None and not _fits(value, defaults[name]):
            errors[name] = [f"must be {_WORDS[type(defaults[name])]}; got {_kind(value)}"]
    if errors:
        raise ConfigRefused(errors)
    return defaults | given


def _fits(value: object, default: object) -> bool:
    kind = type(default)
    if kind is float:
        return type(value) in (int, float)
    return kind not in _TYPES or type(value) is kind


def _kind(value: object) -> str:
    """What a value is, in words. Errors do not repeat it, because it may be a secret."""
    return _WORDS.get(type(value), "another value")


def _unknown(name: str, known: set[str]) -> str:
    if not known:
        return f"must be absent, because there are no fields here; got {sent(name)}"
    return f"must be a known field ({', '.join(sorted(known))}); got {sent(name)}"


def _schema_from(defaults: Config) -> JsonObject:
    properties = {}
    for name, default in defaults.items():
        kind = _TYPES.get(type(default))
        properties[name] = {"default": default, "title": name.replace("_", " ").capitalize()}
        if kind is not None:
            properties[name]["type"] = kind
    return {"type": "object", "properties": properties, "additionalProperties": False}
