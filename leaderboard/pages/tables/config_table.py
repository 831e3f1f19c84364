"""A plugin's config as a table: the meaning, the value and the default of each field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.rules.json.values import JsonSchema
from leaderboard.services.plugins.descriptions import PluginDescription

_LIMITS = {
    "minimum": gettext_lazy("at least {limit}"),
    "exclusiveMinimum": gettext_lazy("above {limit}"),
    "maximum": gettext_lazy("at most {limit}"),
    "exclusiveMaximum": gettext_lazy("below {limit}"),
}
_TYPES = {
    "number": gettext_lazy("number"),
    "integer": gettext_lazy("whole number"),
    "string": gettext_lazy("text"),
    "boolean": gettext_lazy("true or false"),
    "object": gettext_lazy("object"),
    "null": gettext_lazy("null"),
}
_SEVERAL = {
    "number": gettext_lazy("list of numbers"),
    "integer": gettext_lazy("list of whole numbers"),
    "string": gettext_lazy("list of texts"),
    "array": gettext_lazy("list of lists"),
}


@dataclass(frozen=True, slots=True)
class ConfigField:
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


def fields_of(plugin: PluginDescription, config: Mapping[str, object]) -> list[ConfigField]:
    """Every field that the plugin describes or the config sets, in the plugin's order."""
    schemas = (plugin.config_schema or {}).get("properties", {})
    defaults = {name: schema["default"] for name, schema in schemas.items() if "default" in schema}
    defaults |= plugin.defaults or {}
    given = {name: value for name, value in config.items() if value is not None}
    names = list(dict.fromkeys([*schemas, *defaults, *given]))
    return [_field(name, schemas.get(name, {}), defaults, given) for name in names]


def written(value: Any) -> str:
    """A value of a config as readable text."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _field(
    name: str, schema: JsonSchema, defaults: Mapping[str, object], given: Mapping[str, object]
) -> ConfigField:
    value = given.get(name, defaults.get(name))
    return ConfigField(
        name=name,
        description=schema.get("description", ""),
        type=_type_of(schema),
        limits="; ".join(_limits_of(schema)),
        value="" if value is None else written(value),
        default=written(defaults[name]) if name in defaults else "",
        is_default=name not in given or given[name] == defaults.get(name),
    )


def _type_of(schema: JsonSchema) -> str:
    """The type as text: `list of numbers`, `text or null`; "" if the schema does not say."""
    if "anyOf" in schema:
        return any_of(dict.fromkeys(map(_type_of, schema["anyOf"])))
    kind = schema.get("type", "")
    if kind == "array":
        several = _SEVERAL.get(schema.get("items", {}).get("type", ""))
        return str(several or _("list of values"))
    return str(_TYPES.get("object" if "$ref" in schema and not kind else kind, ""))


def _limits_of(schema: JsonSchema) -> Iterator[str]:
    for option in schema.get("anyOf", ()):
        yield from _limits_of(option)
    if "enum" in schema:
        yield _choices(schema["enum"])
    if "const" in schema:
        yield _only(schema["const"])
    bounds = [
        str(template).format(limit=written(schema[key]))
        for key, template in _LIMITS.items()
        if key in schema
    ]
    if bounds:
        yield ", ".join(bounds)
    if "pattern" in schema:
        yield _("of the pattern {pattern}").format(pattern=schema["pattern"])
    if "items" in schema:
        template = _("each {limit}")
        yield from (template.format(limit=limit) for limit in _limits_of(schema["items"]))
    if counts := _counts(schema.get("minItems"), schema.get("maxItems")):
        yield counts


def _counts(least: int | None, most: int | None) -> str:
    """The allowed length of a list as text; "" if the schema does not say."""
    if least is None and most is None:
        return ""
    if most is None:
        return _("at least {least} of them").format(least=least)
    if least is None:
        return _("at most {most} of them").format(most=most)
    return _("at least {least}, at most {most} of them").format(least=least, most=most)


def _choices(values: Sequence[Any]) -> str:
    texts = [written(value) for value in values]
    return any_of(texts) if len(texts) > 1 else _only(values[0])


def _only(value: Any) -> str:
    return _("only {value}").format(value=written(value))


def any_of(choices: Iterable[str]) -> str:
    """Choices as text: `1, 2 or 3`."""
    texts = list(choices)
    if len(texts) < 2:
        return "".join(texts)
    return _("{choices} or {last}").format(choices=", ".join(texts[:-1]), last=texts[-1])
