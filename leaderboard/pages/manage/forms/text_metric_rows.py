"""The rows of a form in which organisers choose the text metrics of a challenge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from leaderboard.forms.plugin_choices import usable_plugins
from leaderboard.forms.setting_fields import REST, config_fields, initial_value
from leaderboard.languages.docstrings import first_line
from leaderboard.models import User
from leaderboard.pages.manage.forms.choosing import choosing
from leaderboard.pages.manage.forms.metric_rows import REPORTED
from leaderboard.pages.manage.forms.rules_choices import Choices
from leaderboard.rules.json.untyped_dicts import FormValues, SentFields
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.descriptions import PluginDescription

SHOWN: Final = "parameters_of"
"""The field with the metric whose parameters the page showed, to notice another choice."""


def text_metric_choices(
    user: User, stored: Iterable[str], own: Sequence[PluginDescription]
) -> Choices:
    """The text metrics that the user may choose, and those of the challenge.

    own: those that the challenge has of its own.
    """
    usable = usable_plugins(user, known_plugins().text_metrics, own)
    choices: Choices = [("", "–")]
    choices += [(plugin.name, f"{plugin.name}: {first_line(plugin.doc)}") for plugin in usable]
    offered = {key for key, _label in choices}
    return choices + [(name, name) for name in dict.fromkeys(stored) if name not in offered]


def description_of(
    metric_id: str, own: Sequence[PluginDescription] = ()
) -> PluginDescription | None:
    """The text metric of an id in any case; None for an unknown one."""
    plugins = [*known_plugins().text_metrics, *own]
    return next(
        (plugin for plugin in plugins if plugin.name.casefold() == metric_id.casefold()), None
    )


def registered(metric_id: str) -> str:
    """The id as the plugin spells it."""
    plugin = description_of(metric_id)
    return plugin.name if plugin else metric_id


def given_of(entry: Any) -> SentFields:
    """A stored text metric as an object with its id as the plugin spells it."""
    given: SentFields = {"id": entry} if isinstance(entry, str) else dict(entry)
    return {**given, "id": registered(given["id"])}


def parameter_fields(
    metric_id: str, stored: Mapping[str, object], own: Sequence[PluginDescription]
) -> dict[str, forms.Field]:
    """The fields of the parameters by their key; `REST` for stored ones without a field.

    own: the text metrics that the challenge has of its own.
    """
    plugin = description_of(metric_id, own)
    schema = (plugin.config_schema if plugin else None) or {}
    if not stored and not schema.get("properties"):
        return {}
    fields = config_fields(schema, stored)
    for key, field in fields.items():
        if key in stored:
            field.initial = initial_value(field, stored[key])
    if REST in fields:
        fields[REST].initial = {key: value for key, value in stored.items() if key not in fields}
    return fields


def with_defaults(
    data: QueryDict, row: str, metric_id: str, fields: Mapping[str, forms.Field]
) -> None:
    """Complete what was sent, if the page showed the parameters of another metric."""
    if data.get(f"{row}.{SHOWN}", "") == metric_id:
        return
    data[f"{row}.{SHOWN}"] = metric_id
    for key, field in fields.items():
        name = parameter_name(row, key)
        value = field.prepare_value(field.initial)
        data.pop(name, None)
        if value not in (None, False):
            data[name] = "on" if value is True else str(value)


def parameter_name(row: str, key: str) -> str:
    """The name of the field of a parameter: `text_metrics.0.parameters.beta`."""
    return f"{row}.parameters" if key == REST else f"{row}.parameters.{key}"


def own_fields(choices: Choices, *, is_off: bool) -> dict[str, forms.Field]:
    """The fields of a row, without those of parameters.

    is_off: whether the challenge does not compute the metric, which the form can change.
    """
    fields: dict[str, forms.Field] = {
        "id": forms.CharField(
            label=_("Text metric"), required=False, widget=choosing(choices, "text-metrics")
        ),
        "name": forms.CharField(
            label=_("Name"),
            required=False,
            help_text=_("The heading of its column. Empty: as the metric is called."),
        ),
        "reported": forms.ChoiceField(
            label=_("Values that participants report for it"), required=False, choices=REPORTED
        ),
        SHOWN: forms.CharField(required=False, widget=forms.HiddenInput),
    }
    if is_off:
        fields["enable"] = forms.BooleanField(label=_("Compute it"), required=False)
    return fields


def entry_of_text(typed: FormValues, parameters: Mapping[str, object]) -> SentFields:
    """A text metric by the names of the API."""
    entry: SentFields = {"id": typed.get("id") or ""}
    if name := str(typed.get("name") or "").strip():
        entry["name"] = name
    if typed.get("reported") not in ("", None, "refuse"):
        entry["reported"] = typed["reported"]
    if typed.get("enable") is False:
        entry["enable"] = False
    return entry | ({"parameters": dict(parameters)} if parameters else {})
