"""The rows of a form in which organisers declare fields of the meta of attempts."""

from __future__ import annotations

from typing import Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge
from leaderboard.pages.manage.forms.rules_choices import Choices
from leaderboard.rules.json.open_dicts import SentFields
from leaderboard.schemas.meta_fields import MAX_META_FIELDS

MORE_ROWS: Final = 3
TYPES: Final[Choices] = [
    ("text", gettext_lazy("Text")),
    ("number", gettext_lazy("Number")),
    ("link", gettext_lazy("Link")),
    ("boolean", gettext_lazy("Yes or no")),
    ("date", gettext_lazy("Date")),
]
PARTS: Final = ("name", "label", "type", "unit", "shown")


class MetaRows(FormWithSent):
    """Adds the rows `meta_fields.0.name`, `.label`, `.type`, `.unit` and `.shown` to a form.

    There are empty rows behind those that are stored; a row without a name is left out.
    """

    meta_rows: list[list[str]]

    @property
    def meta_fields(self) -> list[list[forms.BoundField]]:
        return [[self[name] for name in names] for names in self.meta_rows]

    def add_meta_rows(self, challenge: Challenge) -> None:
        """Add the fields, with the stored values as their initial ones."""
        stored, self.meta_rows = list(challenge.meta_fields), []
        for row in range(min(len(stored) + MORE_ROWS, MAX_META_FIELDS)):
            names = [f"meta_fields.{row}.{part}" for part in PARTS]
            for name, field in zip(names, _fields(), strict=True):
                self.fields[name] = field
            self.meta_rows.append(names)
            if row < len(stored):
                for part, name in zip(PARTS, names, strict=True):
                    self.initial[name] = stored[row].get(part)

    def filled_meta(self) -> list[int]:
        """The numbers of the rows with a name."""
        rows = enumerate(self.meta_rows)
        return [row for row, names in rows if self.cleaned_data.get(names[0])]

    def meta_declared(self) -> list[SentFields]:
        """The fields by the names of the API, without what is left empty."""
        declared = []
        for row in self.filled_meta():
            typed = {part: self.cleaned_data[f"meta_fields.{row}.{part}"] for part in PARTS}
            declared.append({part: value for part, value in typed.items() if value})
        return declared


def _fields() -> list[forms.Field]:
    return [
        forms.CharField(label=_("Name in meta"), required=False, max_length=80),
        forms.CharField(label=_("Heading"), required=False, max_length=60),
        forms.ChoiceField(label=_("Type"), required=False, choices=TYPES),
        forms.CharField(label=_("Unit"), required=False, max_length=12),
        forms.BooleanField(label=_("Shown without a choice of columns"), required=False),
    ]
