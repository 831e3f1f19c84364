"""Checks a plugin's config against its pydantic model `Config` or its dict `defaults`.

A plugin that declares neither accepts any config.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from math import isfinite
from numbers import Number
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from leaderboard.rules.json.schemas import fault_of_schema
from leaderboard.rules.json.values import JsonObject, JsonSchema
from leaderboard.rules.plugins.secrets import OTHER_NAME
from leaderboard.rules.plugins.setting_errors import (
    ANOTHER,
    KINDS,
    MAX_LENGTH,
    NO_FIELDS,
    OF_KINDS,
    OF_PYDANTIC,
    OTHER,
    OUTSIDE,
    REFUSED,
    UNKNOWN,
    with_values,
)
from leaderboard.rules.texts.messages import Message
from leaderboard.rules.texts.plugin_output import class_name, cut
from leaderboard.rules.texts.quoting import sent

ConfigErrors = dict[str, list[str]]
Config = JsonObject

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
_TYPES |= {list: "array", dict: "object"}
_LIMITS = {"gt", "ge", "lt", "le", "multiple_of", "count"}
_OR = re.compile(r" or (?='[^']*'$|[^' ]+$)")
"""The word between the last two choices in pydantic's `'a', 'b' or 'c'` and `1, 2 or 3`."""
_NAMES = {"min_length": "count", "max_length": "count"}


class ConfigRefused(ValueError):
    """A config that its scorer does not accept; `errors` by field name."""

    def __init__(self, errors: ConfigErrors) -> None:
        super().__init__("; ".join(f"{name}: {texts[0]}" for name, texts in errors.items()))
        self.errors = errors


def schema_of(plugin: type) -> tuple[JsonObject | None, Config | None]:
    """The JSON schema of a plugin's config and its default values, None if undeclared.

    Raises ValueError for a schema that forms cannot read.
    """
    model, defaults = _model_of(plugin), _defaults_of(plugin)
    if model is not None:
        schema = model.model_json_schema()
        if fault := fault_of_schema(schema):
            raise ValueError(f"the JSON schema of the config has an unusable `{fault}`")
        _add_other_names(schema, model)
        fields = schema.get("properties", {})
        for name, field in model.model_fields.items():
            # pydantic marks only secret texts in the schema, no other kind of secret.
            if _is_secret(field.annotation):
                fields.get(field.alias or name, {})["writeOnly"] = True
        return schema, {
            name: field_schema["default"]
            for name, field_schema in fields.items()
            if "default" in field_schema
        }
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


def _add_other_names(schema: JsonSchema, model: Any) -> None:
    """Add to each property with an alias the name of its field, by which a config may call it."""
    named = model.model_json_schema(by_alias=False)
    definitions_by_name = named.get("$defs", {})
    both = [(schema, named)]
    both += [
        (definition, definitions_by_name.get(key, {}))
        for key, definition in schema.get("$defs", {}).items()
    ]
    for by_alias, by_name in both:
        properties = by_alias.get("properties", {})
        for alias, name in zip(properties, by_name.get("properties", {}), strict=False):
            if alias != name:
                properties[alias][OTHER_NAME] = name


_MARKED = {"SecretStr", "SecretBytes"}
"""The secrets of pydantic that it marks in the schema wherever they are."""


def _is_secret(annotation: Any) -> bool:
    """Whether a field is a pydantic secret, or holds one that pydantic does not mark.

    The methods of its type identify a secret.
    """
    return any(map(_is_kind_of_secret, (annotation, *get_args(annotation)))) or any(
        _is_kind_of_secret(kind) and not _MARKED & {base.__name__ for base in kind.__mro__}
        for kind in _kinds_in(annotation, set())
    )


def _is_kind_of_secret(kind: Any) -> bool:
    return callable(getattr(kind, "get_secret_value", None))


def _kinds_in(annotation: Any, visited: set[int]) -> Iterator[type]:
    """The types that an annotation and the models in it consist of."""
    origin = get_origin(annotation)
    kind = origin if isinstance(origin, type) else annotation
    if id(annotation) in visited:
        return
    visited.add(id(annotation))
    if isinstance(kind, type):
        yield kind
    for get_arg in [*get_args(annotation), *_fields_of(kind)]:
        yield from _kinds_in(get_arg, visited)


def _fields_of(kind: Any) -> list[Any]:
    """The annotations of the fields of a model, a dataclass, a TypedDict or a NamedTuple."""
    fields = getattr(kind, "model_fields", None)
    if isinstance(fields, dict):
        return [field.annotation for field in fields.values()]
    has_fields = is_dataclass(kind) or hasattr(kind, "__total__") or hasattr(kind, "_fields")
    if isinstance(kind, type) and has_fields:
        with suppress(NameError):  # a name that only pydantic could find
            return [*get_type_hints(kind).values()]
    return []


def _defaults_of(plugin: type) -> Config | None:
    defaults = getattr(plugin, "defaults", None)
    return dict(defaults) if isinstance(defaults, dict) else None


# A pydantic model.


def _validate(model: Any, config: Config) -> Any:
    fields = model.model_fields
    field_names = {*fields, *(field.alias for field in fields.values() if field.alias)}
    given = {name: value for name, value in config.items() if not _is_missing(fields, name, value)}
    errors: ConfigErrors = {
        name: [_unknown(name, field_names)] for name in given if name not in field_names
    }
    try:
        valid = model.model_validate({name: given[name] for name in given if name in field_names})
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
    errors: ConfigErrors = {}
    if not callable(getattr(error, "errors", None)):
        return {"": [with_values(REFUSED, error=class_name(error))]}
    for problem in error.errors(include_url=False):  # type: ignore[attr-defined]
        name = ".".join(str(part) for part in problem["loc"])
        errors.setdefault(name, []).append(_error_text(problem))
    return errors


def _error_text(error: Mapping[str, Any]) -> str:
    """An error of pydantic in our form; the plugin's own sentence if a validator of it raised."""
    kind, text = str(error.get("type")), cut(str(error["msg"]), MAX_LENGTH)
    if kind in ("value_error", "assertion_error"):
        return text.removeprefix("Value error, ").removeprefix("Assertion failed, ")
    limits = {_NAMES.get(name, name): value for name, value in error.get("ctx", {}).items()}
    template, got = OF_PYDANTIC.get(kind), _kind(error.get("input"))
    if template is None or not _fills(template, limits):
        return with_values(ANOTHER, reason=text, got=got)
    values = {name: _limit(value) for name, value in limits.items()}
    if "expected" in values:
        values["expected"] = _OR.sub(", ", str(values["expected"]))
    values["got"] = OUTSIDE.get(kind, got)
    return with_values(template, **{name: values[name] for name in template.parameters})


def _fills(template: Message, limits: Mapping[str, object]) -> bool:
    """Whether an error of pydantic has what the sentence needs.

    Other types than numbers have limits too, such as dates; and a plugin may raise errors with
    pydantic's types and without a `ctx`.
    """
    names = template.parameters.keys() - {"got"}
    return names <= limits.keys() and all(
        isinstance(limits[name], Number) for name in names & _LIMITS
    )


def _limit(value: object) -> object:
    """A limit as a number that JSON has, without the `.0` that pydantic adds; else as a text."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return value
    return str(value)


# A dict of defaults.


def _merge(defaults: Config, config: Config) -> Config:
    given = {name: value for name, value in config.items() if value is not None}
    errors: ConfigErrors = {}
    for name, value in config.items():
        if name not in defaults:
            errors[name] = [_unknown(name, set(defaults))]
        elif value is not None and not _fits(value, defaults[name]):
            accepted = OF_KINDS[type(defaults[name])]
            errors[name] = [with_values(accepted, got=_kind(value))]
    if errors:
        raise ConfigRefused(errors)
    return defaults | given


def _fits(value: object, default: object) -> bool:
    kind = type(default)
    if kind is float:
        return type(value) in (int, float)
    return kind not in _TYPES or type(value) is kind


def _kind(value: object) -> Message:
    """What a value is, in words. Errors do not repeat it, because it may be a secret."""
    return KINDS.get(type(value), OTHER)


def _unknown(name: str, field_names: set[str]) -> Message:
    if not field_names:
        return with_values(NO_FIELDS, name=sent(name))
    return with_values(UNKNOWN, known=", ".join(sorted(field_names)), name=sent(name))


def _schema_from(defaults: Config) -> JsonObject:
    properties = {}
    for name, default in defaults.items():
        kind = _TYPES.get(type(default))
        properties[name] = {"default": default, "title": name.replace("_", " ").capitalize()}
        if kind is not None:
            properties[name]["type"] = kind
    return {"type": "object", "properties": properties, "additionalProperties": False}
