"""The fields of a form that ask for what attempts of a challenge declare in their meta."""

from __future__ import annotations

from collections.abc import Iterator

from django import forms
from django.utils.translation import gettext as _

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge
from leaderboard.rules.visibility.families import FAMILY, LONGEST
from leaderboard.rules.visibility.meta_values import MetaField, fields_of


class DeclaringForm(FormWithSent):
    """A form with a field for each declared field of meta, and the family if boards fold them.

    A choice has a second field, for words of its own.
    """

    declared: tuple[MetaField, ...] = ()

    def ask_for_meta(self, challenge: Challenge) -> None:
        fields = fields_of(challenge.meta_fields)
        if challenge.folds_families and FAMILY not in {field.name for field in fields}:
            fields.insert(0, MetaField(FAMILY, _("Family"), "text", "", shown=False))
        self.declared = tuple(fields)
        for field in fields:
            self.fields.update(_asked(field))

    def declared_meta(self) -> dict[str, str]:
        """The meta, once the form is valid; without fields that are empty."""
        texts = ((field.name, self._text(field)) for field in self.declared)
        return {name: text for name, text in texts if text}

    def _text(self, field: MetaField) -> str:
        text = str(self.cleaned_data.pop(field.key, ""))
        words = str(self.cleaned_data.pop(_words(field), ""))
        return f"{text}: {words}" if text and words else text


def _words(field: MetaField) -> str:
    return f"{field.key}.words"


def _asked(field: MetaField) -> Iterator[tuple[str, forms.Field]]:
    label = f"{field.label} ({field.unit})" if field.unit else field.label
    if field.type != "choice":
        longest = LONGEST if field.name == FAMILY else 1000
        hint = ""
        if field.name == FAMILY:
            hint = _("The system of which this is one configuration, such as the base model.")
        yield (
            field.key,
            forms.CharField(label=label, required=False, max_length=longest, help_text=hint),
        )
        return
    choices = [("", _("Not said")), *((choice, choice) for choice in field.choices)]
    yield field.key, forms.ChoiceField(label=label, required=False, choices=choices)
    yield (
        _words(field),
        forms.CharField(
            label=_("{label}, in words").format(label=label), required=False, max_length=500
        ),
    )
