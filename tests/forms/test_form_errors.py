"""Errors of forms say what was sent, except passwords."""

from __future__ import annotations

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.forms import BaseForm

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import User
from tests.test_wording import subclasses


class Several(FormWithSent):
    count = forms.IntegerField(required=False, max_value=9)
    email = forms.EmailField(required=False)
    day = forms.DateTimeField(required=False)
    kind = forms.ChoiceField(required=False, choices=[("a", "A")])
    name = forms.CharField(required=False, max_length=3)
    secret = forms.IntegerField(required=False, widget=forms.PasswordInput)
    owner = forms.ModelChoiceField(User.objects.none(), required=False)
    title = forms.CharField()

    def clean_kind(self) -> str:
        if self.cleaned_data["kind"] == "a":
            raise ValidationError("This kind is closed.")
        return ""


class NameForm(FormWithSent, forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("username",)


WITHOUT_SENT = {
    "ScorerSettings",  # a part of forms that add what was sent
    "TypedTwice",  # passwords
    "TableUpload",  # whole tables, whose errors name the line
    "ChangePasswordForm",
    "NewPasswordForm",
    "KeyForm",  # what the device of a user has signed
}
"""The forms whose errors do not say what was sent."""


def test_an_error_says_what_was_sent() -> None:
    for field, value, ending in (
        ("count", "ten", 'number; got "ten"'),
        ("count", "10", 'at most 9; got "10"'),
        ("email", "ann", 'name@example.org; got "ann"'),
        ("day", "soon", '; got "soon"'),
        ("kind", "b", "; got b"),
        ("kind", "a", "This kind is closed."),
        ("name", "long", "at most 3 characters; got 4"),
        ("secret", "hunter2", "a whole number"),
        ("owner", "7", "; got 7"),
        ("title", "", "got nothing"),
    ):
        (error,) = Several({field: value}).errors[field]
        assert str(error).endswith(ending), (field, value)


def test_texts_of_services_stay_as_they_are() -> None:
    form = Several({"title": "a"})
    form.add_error("count", ["is taken; got 5"])
    form.add_error(None, "Try again.")
    assert form.errors == {"count": ["is taken; got 5"], "__all__": ["Try again."]}


@pytest.mark.django_db
def test_errors_of_a_model_say_what_was_sent() -> None:
    User.objects.create(username="ann")
    message = 'must be a name that no other user has; got "ann"'
    assert NameForm({"username": "ann"}).errors["username"] == [message]


def test_all_forms_say_what_was_sent() -> None:
    silent = {form for form in subclasses(BaseForm) if not issubclass(form, FormWithSent)}
    assert {form.__name__ for form in silent} == WITHOUT_SENT
