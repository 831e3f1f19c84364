"""The errors of the frameworks that can reach a user say what is accepted, as our own do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path
from typing import Any

import pytest
from babel.messages import Message
from babel.messages.pofile import read_po
from django.apps import apps
from django.core.validators import BaseValidator, RegexValidator
from django.forms import BaseForm, Field
from django.urls import get_resolver
from django.utils import translation
from rest_framework.serializers import Field as SerializerField

from leaderboard.api.fields import AskedSerializer

WORDING = Path(__file__).parents[1] / "leaderboard/wording"
FORM = re.compile(r"(is required|must |the name must )")
FORMS = {"en": FORM, "de": re.compile(r"(ist erforderlich|muss |darf )")}
"""How the text behind `field: ` begins. What was sent follows behind `; got `."""
PLACEHOLDER = re.compile(r"%\(\w+\)[sdr]|\{[\w:]+\}")
FURTHER = {
    "Select a valid choice. That choice is not one of the available choices.": {"%(value)s"},
}
"""Parameters that an error has, although Django's text does not use them."""


def subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    get_resolver().url_patterns  # noqa: B018 - this imports every form and serializer
    for subclass in kind.__subclasses__():
        if subclass.__module__.startswith("leaderboard."):
            yield subclass
        yield from subclasses(subclass)


class Anything(dict[str, Any]):
    """A number for each placeholder."""

    def __missing__(self, name: str) -> int:
        return 7


def texts_of(field: Any) -> Iterator[str]:
    """Every text that a field or one of its validators may answer."""
    messages = [*field.error_messages.values()]
    kinds = (BaseValidator, RegexValidator)
    messages += [
        validator.message for validator in field.validators if isinstance(validator, kinds)
    ]
    for message in messages:
        # A text with a plural is empty until its number is known.
        yield str(message) if str(message) and "%" not in str(message) else message % Anything()


def fields_of_serializers() -> Iterator[tuple[str, SerializerField[Any, Any, Any, Any]]]:
    for kind in subclasses(AskedSerializer):
        for name, field in kind().fields.items():
            yield f"{kind.__name__}.{name}", field


def fields_of_forms() -> Iterator[tuple[str, Field]]:
    for kind in subclasses(BaseForm):
        for name, field in getattr(kind, "base_fields", {}).items():
            yield f"{kind.__name__}.{name}", field


def fields_of_models() -> Iterator[tuple[str, Any]]:
    for model in apps.get_app_config("leaderboard").get_models():
        for field in model._meta.concrete_fields:
            yield f"{model.__name__}.{field.name}", field


@pytest.mark.parametrize(
    "fields",
    [fields_of_serializers, fields_of_forms, fields_of_models],
    ids=lambda source: source.__name__,
)
def test_each_default_message_says_what_is_accepted(fields: Any) -> None:
    messages = {(name, text) for name, field in fields() for text in texts_of(field)}
    assert len(messages) > 10
    assert {(name, text) for name, text in messages if not FORM.match(text)} == set()


@pytest.mark.parametrize(("language", "least"), [("en", 80), ("de", 50)])
def test_the_wording_keeps_placeholders(language: str, least: int) -> None:
    pairs = [pair for entry in wording(language) for pair in zip(*texts_in(entry), strict=True)]
    assert len(pairs) > least
    for source, ours in pairs:
        assert FORMS[language].match(ours), ours
        placeholders = {*PLACEHOLDER.findall(source), *FURTHER.get(source, ())}
        assert set(PLACEHOLDER.findall(ours)) <= placeholders, source


@pytest.mark.parametrize("language", FORMS)
def test_the_compiled_wording_matches_its_source(language: str) -> None:
    with catalogue(language).with_suffix(".mo").open("rb") as file:
        compiled = GNUTranslations(file)
    for entry in wording(language):
        sources, ours = texts_in(entry)
        if entry.pluralizable:
            translations = [compiled.ngettext(sources[0], sources[1], number) for number in (1, 2)]
        else:
            translations = [compiled.gettext(sources[0])]
        assert translations == list(ours)


@pytest.mark.parametrize("fields", [fields_of_forms, fields_of_models], ids=lambda it: it.__name__)
def test_each_message_of_django_has_our_form_in_german(fields: Any) -> None:
    with translation.override("de"):
        messages = {(name, text) for name, field in fields() for text in texts_of(field)}
    alien = re.compile(r"Bitte |Gib |Dieses Feld |Dieser Wert |Nullzeichen|Es wurde keine Datei")
    assert {(name, text) for name, text in messages if alien.match(text)} == set()


def catalogue(language: str) -> Path:
    return WORDING / language / "LC_MESSAGES" / "django.po"


def wording(language: str) -> list[Message]:
    with catalogue(language).open("rb") as file:
        return [entry for entry in read_po(file) if entry.id]


def texts_in(entry: Message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sentences of a framework, and ours: one, or two for a text with a plural."""
    sources = entry.id if isinstance(entry.id, tuple | list) else (entry.id,)
    ours = entry.string if isinstance(entry.string, tuple | list) else (entry.string or "",)
    return tuple(sources), tuple(ours)
