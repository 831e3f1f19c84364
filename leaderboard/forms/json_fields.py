"""Form fields that read JSON values: numbers, choices, lists and objects."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput
from django.forms.widgets import Textarea
from django.utils.translation import gettext as _

from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.texts.quoting import sent


class NumberField(forms.FloatField):
    """A finite number; whole ones stay integers, as they do in JSON."""

    def to_python(self, value: Any) -> Any:
        number = super().to_python(value)
        try:
            return int(str(value).strip())
        except ValueError:
            return number


class JsonChoiceField(forms.TypedChoiceField):
    """A choice among JSON values; the options of the HTML form are their JSON."""

    def __init__(self, options: list[Any], **kwargs: Any) -> None:
        self.options = options
        by_json = {json.dumps(option): option for option in options}
        choices = [("", "–"), *((text, str(option)) for text, option in by_json.items())]
        super().__init__(choices=choices, coerce=by_json.__getitem__, empty_value=None, **kwargs)


class StrictDecoder(json.JSONDecoder):
    """A decoder that is as strict as the API's, so that both accept the same."""

    def decode(self, s: str, *args: Any) -> Any:
        try:
            return parse_json(s.encode("utf-8", "surrogatepass"))
        except InvalidJSON as error:
            raise json.JSONDecodeError(error.message, s, 0) from None


class JsonField(forms.JSONField):
    widget = Textarea(attrs={"rows": 4, "spellcheck": "false", "class": "vLargeTextField"})

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(decoder=StrictDecoder, required=False, **kwargs)


class ObjectField(JsonField):
    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)

    def to_python(self, value: Any) -> Any:
        read = super().to_python(value)
        if read is not None and not isinstance(read, dict):
            text = _('must be a JSON object: {{"name": value, …}}; got {sent}')
            raise ValidationError(text.format(sent=sent(value)))
        return read


class JsonListField(JsonField):
    """A JSON list, with one element per line."""

    widget = Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "vLargeTextField"})

    def to_python(self, value: Any) -> Any:
        read = super().to_python(value)
        if read is not None and not isinstance(read, list):
            text = _("must be a JSON list: [ … ]; got {sent}")
            raise ValidationError(text.format(sent=sent(value)))
        return read or []

    def prepare_value(self, value: Any) -> Any:
        if value is None:  # an empty field that was posted
            return ""
        if isinstance(value, InvalidJSONInput) or not isinstance(value, list):
            return super().prepare_value(value)
        lines = (f" {json.dumps(item, ensure_ascii=False)}" for item in value)
        return "[{}]".format(",\n".join(lines).lstrip()) if value else ""


class ListField(forms.CharField):
    """A list of numbers, texts or choices, separated by commas; a list as JSON is read as well.

    item: the field of one item. Texts may contain commas, so each of them has its own line.
    """

    def __init__(self, item: forms.Field, **kwargs: Any) -> None:
        self.item = item
        self.between = ", "
        if isinstance(item, forms.CharField):
            self.between = "\n"
            kwargs["widget"] = Textarea(attrs={"rows": 3})
        super().__init__(empty_value=None, **kwargs)

    def hint(self) -> str:
        """How items are separated."""
        return _("One item per line.") if self.between == "\n" else _("Separate items by commas.")

    def prepare_value(self, value: Any) -> Any:
        """The items; as JSON if one of them has, for example, a comma or a space at its end."""
        if not isinstance(value, list | tuple):
            return value
        items = [item if isinstance(item, str) else json.dumps(item) for item in value]
        typed = self.between.join(items)
        return typed if self._is_read_as(typed, [*value]) else json.dumps(value, ensure_ascii=False)

    def _is_read_as(self, typed: str, value: list[Any]) -> bool:
        try:
            return (self.to_python(typed) or []) == value
        except ValidationError:
            return False

    def to_python(self, value: Any) -> Any:
        typed = super().to_python(value)
        if typed is None:
            return None
        if typed.startswith("["):
            return JsonField().to_python(typed)
        parts = [part.strip() for part in typed.split(self.between.strip(" "))]
        return [self._read(part) for part in parts if part]

    def _read(self, typed: str) -> Any:
        if isinstance(self.item, JsonChoiceField):
            return self._chosen(self.item, typed)
        return self.item.clean(typed)

    def _chosen(self, item: JsonChoiceField, typed: str) -> Any:
        options = {str(option): option for option in item.options}
        if typed not in options:
            accepted = ", ".join(options)
            text = _("must be among {accepted}; got {value}")
            raise ValidationError(text.format(accepted=accepted, value=typed))
        return options[typed]
