"""Every error about a field says what is accepted and what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.error_texts import ROOT, ErrorText, read_code

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
