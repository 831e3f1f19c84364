"""Form fields for a scorer's config, in the admin and on pages: one per property of its schema.

And for the facts of an invented attempt, on which a scorer is tried.

A field only reads the input. The scorer checks it in the sandbox, when the challenge is saved or
tried.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from django import forms
from django.http import QueryDict
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.facts import Fact
from leaderboard.forms.json_fields import (
    JsonChoiceField,
    JsonField,
    ListField,
    NumberField,
    ObjectField,
)
from leaderboard.languages.translation import number_text, translated, translated_lazy
from leaderboard.rules.json.untyped_dicts import FieldOptions, PluginSettings
from leaderboard.rules.json.values import JsonSchema
from leaderboard.rules.plugins.descriptions import known_text
from leaderboard.rules.texts.messages import message

REST = "scoring_config"
"""The JSON field for config keys without a field of their own."""
SETTINGS_OF: Final = "settings_of"

_RANGES: Final = {
    ("minimum", ""): gettext_lazy("At least {least}."),
    ("exclusiveMinimum", ""): gettext_lazy("Above {least}."),
    ("", "maximum"): gettext_lazy("At most {most}."),
    ("", "exclusiveMaximum"): gettext_lazy("Below {most}."),
    ("minimum", "maximum"): gettext_lazy("At least {least}, at most {most}."),
    ("minimum", "exclusiveMaximum"): gettext_lazy("At least {least}, below {most}."),
    ("exclusiveMinimum", "maximum"): gettext_lazy("Above {least}, at most {most}."),
    ("exclusiveMinimum", "exclusiveMaximum"): gettext_lazy("Above {least}, below {most}."),
}
"""Sentences by the lower and the upper limit of a schema, "" for none."""

Schema = JsonSchema


def fact_field(fact: Fact) -> forms.Field:
    """A field for a fact of an invented attempt, with its example."""
    label: str = fact.label
    if fact.unit:
        label = message("{label} ({unit})", label=fact.label, unit=fact.unit)
    options: FieldOptions = {
        "label": translated_lazy(label),
        "initial": fact.example,
        "required": False,
    }
    if fact.kind == "flag":
        return forms.BooleanField(**options)
    kind = forms.IntegerField if fact.is_whole else forms.FloatField
    return kind(min_value=0, max_value=fact.most, **options)


def name_of(key: str) -> str:
    """The name of the form field of a config key, which is its path in errors of the API."""
    return f"{REST}.{key}"


def config_fields(schema: Schema, stored: Mapping[str, object]) -> dict[str, forms.Field]:
    """Fields for the config of a scorer, by config key, with the scorer's defaults as initial.

    schema: of the config; empty if the scorer has none. `REST` is among the fields then, and if
    `stored` has further keys.
    """
    properties: Schema = schema.get("properties", {})
    fields = {key: _field(key, properties[key], schema) for key in properties}
    if not fields or set(stored) - set(fields):
        label = _("Further settings (JSON)") if fields else _("Settings (JSON)")
        fields[REST] = ObjectField(label=label, help_text=_("Settings without a field, as JSON."))
    return fields


def initial_value(field: forms.Field, value: Any) -> Any:
    """A config value in the form of the field's initial value."""
    return json.dumps(value) if isinstance(field, JsonChoiceField) else value


class _Hidden(forms.HiddenInput):
    """A hidden field that no label names: the admin writes a label for each field of a form."""

    def id_for_label(self, id_: str) -> str:
        return ""


class ScorerSettings(forms.Form):
    """Adds a field for each setting of the chosen scorer to a form that offers scorers.

    settings_of: the entry point whose settings the page showed, to notice another choice.
    """

    settings_of = forms.CharField(label=gettext_lazy("Settings of"), required=False, widget=_Hidden)
    stored_settings: Mapping[str, object] = MappingProxyType({})
    config_keys: Sequence[str] = ()
    is_new_scorer = True

    def add_settings(
        self, entrypoint: str, schema: Schema, stored: Mapping[str, object] | None
    ) -> None:
        """Add the fields; none without an entry point.

        stored: the config of the challenge, None if it has another scorer. If the page showed the
        settings of another scorer, the fields have the defaults.
        """
        self.is_new_scorer, self.stored_settings = stored is None, stored or {}
        self.initial[SETTINGS_OF] = entrypoint
        if entrypoint:
            self._add_fields(config_fields(schema, self.stored_settings))
        is_sent = isinstance(self.data, QueryDict) and self.is_bound
        if is_sent and self.data.get(SETTINGS_OF, "") != entrypoint:
            self.data = self._with_settings(self.data, entrypoint)

    @property
    def setting_fields(self) -> list[str]:
        """The names of the fields of settings."""
        return [name for name in self.fields if name.partition(".")[0] == REST]

    def config(self) -> PluginSettings:
        """The scorer's config: the stored one with the changed fields.

        Unchanged fields keep their stored form, so that showing defaults makes no new version.
        """
        config: PluginSettings = dict(self.cleaned_data.get(REST) or {})
        for key in self.config_keys:
            name = name_of(key)
            if self.is_new_scorer or name in self.changed_data:
                value = self.cleaned_data.get(name)
                config |= {} if value in (None, "") else {key: value}
            elif key in self.stored_settings:
                config[key] = self.stored_settings[key]
        return config

    def _add_fields(self, fields: Mapping[str, forms.Field]) -> None:
        self.config_keys = [key for key in fields if key != REST]
        for key, field in fields.items():
            self.fields[REST if key == REST else name_of(key)] = field
        for key in self.config_keys:
            if key in self.stored_settings:
                self.initial[name_of(key)] = initial_value(fields[key], self.stored_settings[key])
        if rest := {
            key: value for key, value in self.stored_settings.items() if key not in self.config_keys
        }:
            self.initial[REST] = rest

    def _with_settings(self, data: Mapping[str, object], entrypoint: str) -> QueryDict:
        """The data, completed as if the page had shown the settings of the chosen scorer."""
        data = cast("QueryDict", data).copy()
        data[SETTINGS_OF] = entrypoint
        for name in self.setting_fields:
            field = self.fields[name]
            value = field.prepare_value(self.get_initial_for_field(field, name))
            data.pop(name, None)
            if value not in (None, False):
                data[name] = "on" if value is True else str(value)
        return data


def _field(key: str, described: Schema, root: Schema) -> forms.Field:
    schema = _resolved(described, root)
    field = _field_for(schema, root)
    field.required = False
    field.label = str(schema.get("title") or key.replace("_", " ").capitalize())
    texts = [_help(schema), field.hint() if isinstance(field, ListField) else ""]
    field.help_text = escape(" ".join(filter(None, texts)))  # forms print help texts as they are
    if schema.get("default") is not None:
        field.initial = initial_value(field, schema["default"])
    return field


def _field_for(schema: Schema, root: Schema) -> forms.Field:
    if options := _options(schema):
        return JsonChoiceField(options)
    match schema.get("type"):
        case "boolean":
            return forms.BooleanField()
        case "integer" | "number":
            return NumberField(widget=forms.NumberInput(attrs={"step": "any"}))
        case "string" if schema.get("writeOnly"):
            widget = forms.PasswordInput(render_value=True, attrs={"autocomplete": "off"})
            return forms.CharField(strip=False, empty_value="", widget=widget)
        case "string":
            return forms.CharField(strip=False, empty_value="")
        case "array" if not schema.get("writeOnly"):
            return _list_field(_resolved(schema.get("items") or {}, root), root)
        case _:
            return JsonField()


def _list_field(items: Schema, root: Schema) -> forms.Field:
    """A field for a list; one for JSON if its items are secrets or have no field of one line."""
    if items.get("nullable") or items.get("writeOnly"):
        return JsonField()
    item = _field_for(items, root)
    is_simple = isinstance(item, NumberField | JsonChoiceField | forms.CharField)
    return ListField(item) if is_simple else JsonField()


def _options(schema: Schema) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    if schema.get("type") == "boolean" and schema.get("nullable"):
        return [True, False]
    return [option for option in schema.get("enum", []) if option is not None]


def _resolved(schema: Schema, root: Schema) -> Schema:
    """The schema behind a reference; `X or null` becomes an optional X."""
    if reference := schema.get("$ref"):
        target = root.get("$defs", {}).get(str(reference).removeprefix("#/$defs/"), {})
        return {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
    kinds = [kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"]
    if len(kinds) == 1:
        own = {name: value for name, value in schema.items() if name != "anyOf"}
        return {**_resolved(kinds[0], root), **own, "nullable": True}
    return schema


def _help(schema: Schema) -> str:
    """The description, the limits and the default of a setting, as sentences."""
    about = translated(known_text(str(schema.get("description", ""))))
    if about and not about.endswith("."):
        about = _("{description}.").format(description=about)
    default, written = schema.get("default"), ""
    if default is not None:
        written = _("Default: {value}.").format(value=json.dumps(default, ensure_ascii=False))
    return " ".join(filter(None, (about, _range(schema), written)))


def _range(schema: Schema) -> str:
    low, high = (
        next((name for name in names if name in schema), "")
        for names in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
    )
    text = _RANGES.get((low, high), "")
    return text.format(least=_limit(schema, low), most=_limit(schema, high))


def _limit(schema: Schema, name: str) -> str:
    """A limit of a schema in the reader's number format; "" for none."""
    return number_text(f"{schema[name]:g}") if name else ""
