"""Forms whose errors repeat the value that was sent: `must be a whole number; got "x"`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from leaderboard.languages.translation import translated
from leaderboard.rules.texts.quoting import with_sent

CODES = frozenset(
    {
        *("invalid", "invalid_choice", "invalid_list", "max_digits", "max_value", "min_value"),
        *("step_size", "null_characters_not_allowed", "unique"),
    }
)
"""The error codes about one value. Errors about a length give the length instead."""


class FormWithSent(forms.Form):
    """A form that adds the value that was sent to Django's errors.

    Passwords are not repeated. retry_after: the seconds after which a refused client may try again.
    """

    retry_after: int | None = None

    def add_error(self, field: str | None, error: Any) -> None:
        if isinstance(error, ValidationError):
            if hasattr(error, "error_dict"):
                fields = error.error_dict.items()
                error = ValidationError(
                    {name: self._all_with_sent(name, of) for name, of in fields}
                )
            else:
                error = ValidationError(self._all_with_sent(field, error.error_list))
        super().add_error(field, error)

    def _all_with_sent(
        self, name: str | None, errors: list[ValidationError]
    ) -> list[ValidationError]:
        return [*self._with_sent(name, errors)] if name in self.fields else errors

    def _with_sent(self, name: str, errors: list[ValidationError]) -> Iterator[ValidationError]:
        value = self[name].value()
        is_shown = isinstance(value, str) and not _is_secret(self.fields[name])
        for error in errors:
            if not is_shown or error.code not in CODES or _says_value(error):
                yield error
                continue
            (message_text,) = error.messages
            text = translated(with_sent(message_text, value))
            yield ValidationError(text, error.code)


def _says_value(error: ValidationError) -> bool:
    return "%(value)" in str(error.message) or "%(pk)" in str(error.message)


def _is_secret(field: forms.Field) -> bool:
    return isinstance(field.widget, forms.PasswordInput)


def field_at(form: forms.Form, path: str) -> str | None:
    """The form field for a path of the API, as exact as possible; None if there is none."""
    parts = path.split(".")
    beginnings = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    first_rows = (f"{name}.0.key" for name in parts)
    return next((name for name in (*beginnings, *parts, *first_rows) if name in form.fields), None)
