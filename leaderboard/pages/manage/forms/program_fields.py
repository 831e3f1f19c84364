"""A form field for each setting that a scoring program declares in its signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import escape
from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.programs.reading.contract import ProgramSetting
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.json.untyped_dicts import FieldOptions, PluginSettings

PREFIX: Final = "program.settings."
"""Fields have the paths that errors of the service name."""
_YES_NO: Final = {"true": True, "false": False}


class _JsonField(forms.CharField):
    def clean(self, value: Any) -> Any:
        text = super().clean(value).strip()
        try:
            return parse_json(text.encode()) if text else None
        except InvalidJSON as error:
            raise ValidationError(translated(error.message)) from None


class _YesNoField(forms.ChoiceField):
    def clean(self, value: Any) -> Any:
        return _YES_NO.get(super().clean(value))


def setting_fields(
    settings: Sequence[ProgramSetting], stored: Mapping[str, Any]
) -> dict[str, forms.Field]:
    """The fields by name. stored: the values that were chosen until now."""
    return {PREFIX + setting.name: _field(setting, stored) for setting in settings}


def chosen_settings(settings: Sequence[ProgramSetting], typed: Mapping[str, Any]) -> PluginSettings:
    """The values of a valid form by name, without those that were left empty."""
    values = {setting.name: typed.get(PREFIX + setting.name) for setting in settings}
    return {name: value for name, value in values.items() if value not in (None, "")}


def _field(setting: ProgramSetting, stored: Mapping[str, Any]) -> forms.Field:
    value = stored.get(setting.name)
    options: FieldOptions = {
        "label": setting.name,
        "help_text": _help(setting),
        "required": setting.is_required,
        "initial": value,
    }
    match setting.kind:
        case "number":
            widget = forms.NumberInput(attrs={"step": "any"})
            return forms.FloatField(**options, widget=widget)
        case "integer":
            return forms.IntegerField(**options)
        case "boolean":
            options["initial"] = "" if value is None else str(value).lower()
            unset = _("Choose") if setting.is_required else _("As the program has it")
            choices = [("", unset), ("true", _("Yes")), ("false", _("No"))]
            return _YesNoField(**options, choices=choices)
        case "text":
            return forms.CharField(**options)
    options["initial"] = "" if value is None else canonical(value).decode()
    return _JsonField(**options, widget=forms.TextInput(attrs={"spellcheck": "false"}))


def _help(setting: ProgramSetting) -> str:
    """What the program says of a setting, and what counts if it is left empty."""
    counts = ""
    if setting.default is not None:
        default = canonical(setting.default).decode()[:200]
        counts = _("Empty: {default}.").format(default=default)
    kind = _("A JSON value.") if setting.kind == "json" else ""
    about = as_sentence(setting.help) if setting.help else ""
    return escape(" ".join(filter(None, (about, kind, counts))))
