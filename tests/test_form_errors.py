"""Errors of forms say what was sent, except passwords."""

from __future__ import annotations

import pytest
from django import forms
from django.core.exceptions import ValidationError

from leaderboard.form_errors import FormWithSent


class Several(FormWithSent):
    count = forms.IntegerField(required=False, max_value=9)
    email = forms.EmailField(required=False)
    day = forms.DateTimeField(required=False)
    kind = forms.ChoiceField(required=False, choices=[("a", "A")])
    name = forms.CharField(required=False, max_length=3)
    secret = forms.IntegerField(required=False, widget=forms.PasswordInput)

    def clean_kind(self) -> str:
        if self.cleaned_data["kind"] == "a":
            raise ValidationError("This kind is closed.")
        return ""


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("count", "ten", 'must be a whole number; got "ten"'),
        ("count", "10", 'must be at most 9; got "10"'),
        ("email", "ann", 'must be an email address, like name@example.org; got "ann"'),
        ("day", "soon", 'must be a date and time; got "soon"'),
        ("kind", "b", "must be one of the choices; got b"),
        ("kind", "a", "This kind is closed."),
        ("name", "long", "must have at most 3 characters; got 4"),
        ("secret", "hunter2", "must be a whole number"),
    ],
)
def test_an_error_says_what_was_sent(field: str, value: str, said: str) -> None:
    assert Several({field: value}).errors[field] == [said]


def test_texts_of_services_stay_as_they_are() -> None:
    form = Several({})
    form.add_error("count", ["is taken; got 5"])
    form.add_error(None, "Try again.")
    assert form.errors == {"count": ["is taken; got 5"], "__all__": ["Try again."]}
