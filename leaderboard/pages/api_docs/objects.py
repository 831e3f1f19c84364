"""The objects of the API with their fields: the components of the document, and those within."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.pages.api_docs.document import ApiShape, flat, referred
from leaderboard.pages.api_docs.limits import limits_of
from leaderboard.pages.shared.markdown import to_html

FORMATS: Final = {"date-time": "date-time", "uuid": "UUID", "binary": "file", "uri": "URL"}
CHOICE: Final = re.compile(r"^\* `(.*)` - (.*)$", re.MULTILINE)
"""A line in which drf-spectacular describes a choice."""


@dataclass(frozen=True, slots=True)
class ApiField:
    """A field of an object, or a parameter. type, limits: HTML. place: where a parameter is."""

    name: str
    type: SafeString
    required: bool
    choices: tuple[str, ...]
    limits: tuple[str, ...]
    description: SafeString
    place: str = ""


@dataclass(frozen=True, slots=True)
class ApiObject:
    """An object that operations accept or answer. Its name is a part of its anchor."""

    name: str
    description: SafeString
    fields: tuple[ApiField, ...]


class ApiObjects:
    """Names the objects of a document. Equal objects have one name, wherever they are."""

    def __init__(self, components: Mapping[str, ApiShape]) -> None:
        self.components = components
        self._shapes = {
            name: shape for name, shape in components.items() if shape.get("properties")
        }
        self._names: dict[str, str] = {}
        for name, shape in self._shapes.items():
            self._names.setdefault(_key(shape), name)

    def described(self) -> list[ApiObject]:
        """All objects by name; those that are only within others as well."""
        done: dict[str, ApiObject] = {}
        while left := [name for name in self._shapes if name not in done]:
            for name in left:
                shape = self._shapes[name]
                text = as_html(shape.get("description", ""))
                done[name] = ApiObject(name, text, self.fields_of(shape))
        return sorted(done.values(), key=lambda api_object: api_object.name.lower())

    def fields_of(self, shape: ApiShape) -> tuple[ApiField, ...]:
        required = shape.get("required", ())
        return tuple(
            self.field(name, field_shape, required=name in required)
            for name, field_shape in shape.get("properties", {}).items()
        )

    def field(self, name: str, shape: ApiShape, *, required: bool, place: str = "") -> ApiField:
        plain = flat(shape, self.components)
        return ApiField(
            name=name,
            type=self.type_of(plain),
            required=required and place != "path",
            choices=tuple(_choices(plain, self.components)),
            limits=() if place == "path" else tuple(limits_of(plain)),
            description=as_html(plain.get("description", "")),
            place=place,
        )

    def type_of(self, shape: ApiShape) -> SafeString:
        """The type of a value as HTML, with links to objects."""
        plain = flat(shape, self.components)
        kind = self._kind(plain)
        return format_html(_("{type} or null"), type=kind) if plain.get("nullable") else kind

    def _within(self, shape: ApiShape) -> SafeString:
        """The type of the values of a list or an object, in parentheses if it has several parts."""
        kind, plain = self.type_of(shape), flat(shape, self.components)
        has_parts = plain.get("nullable") or len(plain.get("oneOf") or plain.get("anyOf") or ()) > 1
        return format_html("({})", kind) if has_parts else kind

    def _kind(self, shape: ApiShape) -> SafeString:
        if "$ref" in shape:
            return _link(referred(shape))
        if shape.get("properties"):
            return _link(self._name_of(shape))
        options = shape.get("oneOf") or shape.get("anyOf")
        if options:
            kinds = dict.fromkeys(self.type_of(option) for option in options)
            text, *alternatives = kinds
            for other in alternatives:
                text = format_html(_("{first} or {other}"), first=text, other=other)
            return text
        if shape.get("type") == "array":
            return format_html(_("list of {type}"), type=self._within(shape.get("items", {})))
        values = shape.get("additionalProperties")
        if shape.get("type") == "object" and isinstance(values, Mapping) and values:
            return format_html(_("object of {type}"), type=self._within(values))
        kind = shape.get("type", _("any value"))
        return format_html("{}", FORMATS.get(shape.get("format", ""), kind))

    def _name_of(self, shape: ApiShape) -> str:
        """The name of an object that is described where it is used."""
        key = _key(shape)
        if key not in self._names:
            wanted = str(shape.get("title") or _("Object")).lstrip("_").removesuffix("Body")
            name, number = wanted, 2
            while name in self._shapes:
                name, number = f"{wanted}{number}", number + 1
            self._names[key] = name
            self._shapes[name] = shape
        return self._names[key]


def as_html(text: str) -> SafeString:
    """A description as HTML, without choices that have no description of their own."""
    return to_html(CHOICE.sub(_worth_saying, text).strip())


def _worth_saying(match: re.Match[str]) -> str:
    value, label = match.groups()
    return "" if label.lower().replace(" ", "_") == value.lower() else match[0]


def _choices(shape: ApiShape, components: Mapping[str, ApiShape]) -> Iterator[str]:
    """The values that a field, or each entry of a list, may have."""
    plain = flat(shape.get("items", shape), components)
    for value in plain.get("enum", ()):
        if value not in ("", None):
            yield value if isinstance(value, str) else json.dumps(value)


def _link(name: str) -> SafeString:
    return format_html('<a href="#{0}">{0}</a>', name)


def _key(shape: ApiShape) -> str:
    """A text that is equal for objects with equal fields, whatever their descriptions are."""
    parts = ("properties", "required", "additionalProperties")
    return json.dumps({part: _silent(shape.get(part)) for part in parts}, sort_keys=True)


def _silent(shape: Any) -> Any:
    """A schema without descriptions."""
    if isinstance(shape, Mapping):
        return {
            name: _silent(value)
            for name, value in shape.items()
            if name != "description" or not isinstance(value, str)
        }
    return [_silent(item) for item in shape] if isinstance(shape, list) else shape
