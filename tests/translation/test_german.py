"""German pages: what programs read is as on English ones, what people read is German."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.utils import translation

from leaderboard.languages.translation import (
    day_text,
    filled,
    moment_text,
    number_text,
    number_writer,
)
from tests.people import signed_in
from tests.queries.world import World

pytestmark = pytest.mark.django_db

MEASURED = frozenset({"data", "time", "meter", "progress"})
"""Elements whose attributes have values for programs."""
COORDINATE = re.compile(r'\s(?:d|points|viewBox|x\d?|y\d?|c[xy]|r|width|height)="([^"]*)"')


class Values(HTMLParser):
    """Collects the values of a page for programs."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in MEASURED:
            self.attributes += [
                (tag, *attr) for attr in attrs if attr[0] not in ("title", "aria-label")
            ]


def values(html: str) -> list[tuple[str, str, str | None]]:
    parser = Values()
    parser.feed(html)
    return parser.attributes


def coordinates(html: str) -> list[str]:
    drawings = re.findall(r"<svg\b.*?</svg>", html, re.DOTALL)
    return [value for drawing in drawings for value in COORDINATE.findall(drawing)]


def test_a_value_of_a_board_is_readable_for_programs() -> None:
    world = World()
    world.grow(2)
    for language, expected in (("en", "5.0 s"), ("de", "5,0 s")):
        answer = Client().get("/c/sprint/", headers={"Accept-Language": language})
        match = re.search(r'<data value="5000"[^>]*>([^<]*)</data>', answer.content.decode())
        assert match is not None
        assert match[1].replace("\N{NO-BREAK SPACE}", " ") == expected


@pytest.mark.slow
def test_programs_read_the_same_values_in_all_languages() -> None:
    world = World()
    world.grow(1)
    client = signed_in(world.ann)
    measured = drawn = 0
    for name, address in world.addresses():
        if name.startswith(("api:", "admin:")):
            continue
        answers = [
            client.get(address, headers={"Accept-Language": language}) for language in ("en", "de")
        ]
        if not answers[0].headers.get("Content-Type", "").startswith("text/html"):
            continue
        english, german = (answer.content.decode() for answer in answers)
        assert values(german) == values(english), name
        assert [
            coordinate for coordinate in coordinates(german) if re.search(r"\d,\d", coordinate)
        ] == [], name
        measured += len(values(german))
        drawn += len(coordinates(german))
    assert measured > 20
    assert drawn > 20


def test_numbers_and_their_units_are_written_in_german() -> None:
    cases: list[tuple[str, str]] = [
        ("1,234.5 ms", "1.234,5\N{NO-BREAK SPACE}ms"),
        ("$1.7e+308", "1,7e+308\N{NO-BREAK SPACE}$"),
        ("76.0%", "76,0\N{NO-BREAK SPACE}%"),
        ("$1,000.25", "1.000,25\N{NO-BREAK SPACE}$"),
        ("−$0.126", "−0,126\N{NO-BREAK SPACE}$"),
        ("± 3.4%", "±\N{NO-BREAK SPACE}3,4\N{NO-BREAK SPACE}%"),
        ("12 pts.", "12\N{NO-BREAK SPACE}pts."),
        ("–", "–"),
    ]
    for english, german in cases:
        assert number_text(english) == english, english
        with translation.override("de"):
            assert number_text(english) == german, english


def test_a_minus_sign_stands_before_the_dollar_sign() -> None:
    for language, text in (("en", "−$0.20"), ("de", "−0,20\N{NO-BREAK SPACE}$")):
        with translation.override(language):
            assert number_text("$-0.20") == text
            assert number_writer()("$-0.20") == text


def test_values_in_sentences_and_moments_are_german() -> None:
    moment = datetime(2026, 3, 3, 9, 5, tzinfo=UTC)
    with translation.override("de"):
        assert filled("{share:.0%}", share=0.9) == "90\N{NO-BREAK SPACE}%"
        assert (day_text(moment), moment_text(moment)) == ("3. Mär 2026", "3. Mär 2026, 09:05")


def test_an_error_of_a_page_is_german() -> None:
    page = Client().get("/nowhere/", headers={"Accept-Language": "de"})
    assert "Hier ist nichts" in page.content.decode()
