"""Every error about a field says what is accepted and what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from tests.error_texts import ROOT, Code, ErrorText, read_code

PLACEHOLDERS_SAY_IT = {
    "{place}: {text}",
    "{problem}: {reason}",
    "{error} (task {task}, sample {number})",
    "must be given, because the name in the file is refused: {problem}",
}
"""Texts with a placeholder for another error, which has the form."""
SENTENCES = {
    "Give at least one fact: an attempt without any says nothing about itself.": (
        "is about a form as a whole"
    ),
    "Somebody else has changed this challenge. Load the page again.": (
        "is about another request, which saved the challenge first"
    ),
    "was used for another body": "is about another request, which had the same key",
    "Scorers cannot be asked on this server at the moment.": "is about the state of the server",
    "and {count} more": "follows other errors",
}
"""Texts that stay sentences, each with the reason."""
EXAMPLE = """
def check(value):
    wrong = _("must be a number")
    if value is None:
        raise invalid("size", TEXT)
    raise invalid("size", wrong, got=value)

def why(value):
    return message("must be a colour; got {sent}", sent=value)

def more(value):
    raise WrongPart("colour", why(value))
"""


@cache
def errors() -> tuple[ErrorText, ...]:
    return tuple(sorted(set(read_code(ROOT / "leaderboard").errors())))


def without_form(found: tuple[ErrorText, ...]) -> Iterator[ErrorText]:
    known = PLACEHOLDERS_SAY_IT | SENTENCES.keys()
    return (each for each in found if not each.repeats and each.text not in known)


def test_errors_about_fields_say_what_was_sent() -> None:
    assert len(errors()) > 400
    assert list(without_form(errors())) == []


def test_each_exception_is_still_needed() -> None:
    assert PLACEHOLDERS_SAY_IT | SENTENCES.keys() <= {each.text for each in errors()}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("_('is too large')", ["is too large"]),
        ("_('is too large: {size}').format(size=value)", ["is too large: {size}"]),
        ("_('must be given; got null')", []),
        ("with_sent(_('must be given'), value)", []),
        ("shown(value)", ["is shown"]),
    ],
)
def test_a_text_without_what_was_sent_is_found(text: str, wrong: list[str]) -> None:
    helper = "def shown(value):\n    said = message('is shown')\n    return translated(said)\n"
    code = Code({"a.py": EXAMPLE.replace("TEXT", text), "b.py": helper})
    found = tuple(code.errors())
    assert {"must be a number", "must be a colour; got {sent}"} <= {each.text for each in found}
    assert [each.text for each in without_form(found)] == wrong


@pytest.mark.parametrize(
    "source",
    [
        "ServiceError('invalid', 'no', {'size': [_('is too large')]})",
        "def why():\n    return {'size': [_('is too large')]}\nServiceError('invalid', '', why())",
        "def refuse(text):\n    raise ImportFailed(text)\nrefuse(message('is too large'))",
        "part.fail(message('is too large'))",
        "form.add_error('size', _('is too large'))",
        "raise ValidationError({'size': ngettext('is too large', 'is too large', 1)})",
    ],
)
def test_each_way_to_raise_an_error_is_read(source: str) -> None:
    assert {each.text for each in without_form(tuple(Code({"a.py": source}).errors()))} == {
        "is too large"
    }


def test_generators_of_errors_are_read() -> None:
    source = "def faults():\n    yield 'size', message('is too large')\n"
    assert [each.text for each in Code({"schemas/a.py": source}).errors()] == ["is too large"]
