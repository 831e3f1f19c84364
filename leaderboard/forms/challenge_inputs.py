"""The fields of a challenge in a form, made from its schema, and what was typed into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from django import forms
from django.forms.widgets import ChoiceWidget

from leaderboard.forms.choice_labels import labels_of
from leaderboard.forms.errors import FormWithSent
from leaderboard.forms.schema_fields import form_field, typed_value
from leaderboard.languages.translation import translated_lazy
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.schemas.challenges import NewChallenge
from leaderboard.schemas.fields import kind_of

FIELDS: Final = NewChallenge.model_fields


def title_of(name: str) -> str:
    """The label of a field, for a form with a widget of its own for it."""
    return translated_lazy(FIELDS[name].title or "")


class ChallengeInputs(FormWithSent):
    """A form with fields of `NewChallenge`. The service checks them, with the errors of the API.

    stored: what the challenge has; empty for a new one.
    """

    stored: Mapping[str, Any] = MappingProxyType({})

    def add_fields(
        self, names: Iterable[str], *, choice: type[ChoiceWidget] = forms.Select
    ) -> None:
        """Add fields by their names. choice: the widget of those with choices."""
        for name in names:
            self.fields[name] = form_field(FIELDS[name], labels_of(name), choice=choice)

    def typed_values(self, names: Iterable[str]) -> SentFields:
        """The input as JSON; what is empty and may not be null stays as it is."""
        cleaned = self.cleaned_data
        return {name: self._typed(name, cleaned[name]) for name in names if name in cleaned}

    def changed_values(self, typed: SentFields) -> SentFields:
        """The values that differ from the stored ones."""
        return {name: value for name, value in typed.items() if value != self.stored[name]}

    def _typed(self, name: str, typed: Any) -> Any:
        field = FIELDS[name]
        value = typed_value(field, typed)
        if value is not None or kind_of(field).is_nullable or field.is_required():
            return value
        return self.stored.get(name, field.get_default(call_default_factory=True))
