"""The rows of a form in which organisers declare fields of the meta of attempts."""

from __future__ import annotations

from typing import Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge
from leaderboard.pages.manage.forms.rules_choices import Choices
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.meta_fields import DECLARATIONS, MAX_META_FIELDS

MORE_ROWS: Final = 3
TYPES: Final[Choices] = [
    ("text", gettext_lazy("Text")),
    ("number", gettext_lazy("Number")),
    ("link", gettext_lazy("Link")),
    ("boolean", gettext_lazy("Yes or no")),
    ("date", gettext_lazy("Date")),
    ("choice", gettext_lazy("Choice")),
    ("command", gettext_lazy("Command")),
]
PARTS: Final = ("name", "label", "type", "unit", "choices", "shown")
USUAL: Final = "usual_declarations"


class MetaRows(FormWithSent):
    """Adds the rows `meta_fields.0.name`, `.label`, `.type` and so on to a form.

    There are empty rows behind those that are stored; a row without a name is left out.
    """

    meta_rows: list[list[str]]

    @property
    def meta_fields(self) -> list[list[forms.BoundField]]:
        return [[self[name] for name in names] for names in self.meta_rows]

    @property
    def usual(self) -> list[forms.BoundField]:
        return [self[USUAL]]

    def add_meta_rows(self, challenge: Challenge) -> None:
        """Add the fields, with the stored values as their initial ones."""
        stored, self.meta_rows = list(challenge.meta_fields), []
        self.fields[USUAL] = forms.BooleanField(
            label=_("Add the usual declarations"),
            required=False,
            help_text=_(
                "Protocol, tuning, training data and openness, as choices that you can change."
                " The rule “declared fields” of admission can require them."
            ),
        )
        for row in range(min(len(stored) + MORE_ROWS, MAX_META_FIELDS)):
            names = [f"meta_fields.{row}.{part}" for part in PARTS]
            for name, field in zip(names, _fields(), strict=True):
                self.fields[name] = field
            self.meta_rows.append(names)
            if row < len(stored):
                for part, name in zip(PARTS, names, strict=True):
                    value = stored[row].get(part)
                    self.initial[name] = ", ".join(value) if isinstance(value, list) else value

    def filled_meta(self) -> list[int]:
        """The numbers of the rows with a name."""
        rows = enumerate(self.meta_rows)
        return [row for row, names in rows if self.cleaned_data.get(names[0])]

    def meta_declared(self) -> list[SentFields]:
        """The fields by the names of the API, without what is left empty."""
        declared = []
        for row in self.filled_meta():
            typed = {part: self.cleaned_data[f"meta_fields.{row}.{part}"] for part in PARTS}
            choices = [choice.strip() for choice in typed["choices"].split(",")]
            typed["choices"] = [choice for choice in choices if choice]
            declared.append({part: value for part, value in typed.items() if value})
        if self.cleaned_data.get(USUAL):
            names = {field["name"] for field in declared}
            declared += [{**field} for field in DECLARATIONS if field["name"] not in names]
        return declared


def _fields() -> list[forms.Field]:
    return [
        forms.CharField(label=_("Name in meta"), required=False, max_length=80),
        forms.CharField(label=_("Heading"), required=False, max_length=60),
        forms.ChoiceField(label=_("Type"), required=False, choices=TYPES),
        forms.CharField(label=_("Unit"), required=False, max_length=12),
        forms.CharField(
            label=_("Choices, with commas"),
            required=False,
            max_length=1500,
        ),
        forms.BooleanField(label=_("Shown without a choice of columns"), required=False),
    ]
