"""Pages follow their reader, programs get English, and caches keep the languages apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from leaderboard.languages.translation import count_text, translated
from leaderboard.rules.texts.messages import counted, message
from leaderboard.services.errors import invalid
from tests.queries.world import World
from tests.translation.pseudo import LANGUAGE, OPEN
from tests.translation.stays_english import MARKS

PRODUCT = Path(__file__).parents[2] / "leaderboard"


@pytest.fixture
def world(pseudo_offered: None) -> World:
    world = World()
    world.grow(1)
    return world


@pytest.mark.django_db
def test_a_page_says_which_language_it_has_and_what_chose_it(world: World) -> None:
    page = Client().get(reverse("board", args=["sprint"]), headers={"Accept-Language": LANGUAGE})
    assert f'<html lang="{LANGUAGE}">' in page.content.decode()
    assert page["Content-Language"] == LANGUAGE
    assert {"Accept-Language", "Cookie"} <= set(page["Vary"].split(", "))


@pytest.mark.django_db
def test_languages_have_etags_and_cached_pages_of_their_own(world: World) -> None:
    address = reverse("board", args=["sprint"])
    for language, is_pseudo in ((LANGUAGE, True), ("en", False), (LANGUAGE, True)):
        page = Client().get(address, headers={"Accept-Language": language})
        assert (OPEN in page.content.decode()) == is_pseudo
        other = "en" if is_pseudo else LANGUAGE
        again = {"Accept-Language": other, "If-None-Match": page["ETag"]}
        assert Client().get(address, headers=again).status_code == 200


@pytest.mark.django_db
def test_the_api_speaks_english(world: World) -> None:
    for address in (reverse("api:challenges"), reverse("api:leaderboard", args=["none"])):
        answer = Client().get(address, headers={"Accept-Language": LANGUAGE})
        assert OPEN not in answer.content.decode()
        assert "Accept-Language" not in answer.get("Vary", "")
        assert "Content-Language" not in answer


@pytest.mark.django_db
def test_the_api_refuses_in_english_what_no_view_sees(world: World) -> None:
    for address in ("/api/v1/challenges/a%00b/", "/api/v1/challenges"):
        answer = Client().get(address, headers={"Accept-Language": LANGUAGE})
        assert answer.status_code == 404
        assert answer.json()["error"]["message"].startswith("There is nothing here.")


@pytest.mark.django_db
def test_one_language_makes_no_page_vary_by_it(settings: Any) -> None:
    settings.LANGUAGES = settings.LANGUAGES[:1]
    page = Client().get(reverse("challenges"), headers={"Accept-Language": "de"})
    assert "Accept-Language" not in page.get("Vary", "")


def test_a_message_is_translated_with_its_parameters(pseudo_offered: None) -> None:
    text = message("{label} ({key})", label=message("Time"), key="ms")
    with translation.override(LANGUAGE):
        assert translated(text) == "⟦⟦Tímé~⟧ (ms)~⟧"
        assert translated("as it is") == "as it is"
        assert invalid("slug", message("must be a list")).fields["slug"][0].startswith(OPEN)
    assert translated(text) == "Time (ms)"
    assert translated(counted("{count} sample", "{count} samples", 2)) == "2 samples"


def test_numbers_have_the_separators_of_the_language() -> None:
    with translation.override("de"):
        assert count_text(1_234_567) == "1.234.567"
        assert (
            translated(message("{value:,} ± {text}", value=1234.5, text="1.5")) == "1.234,5 ± 1.5"
        )
    assert count_text(1_234_567) == "1,234,567"


def put_together(source: str) -> Iterator[int]:
    """Lines that mark an f-string or a sum of strings, which no catalogue can have."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or _name(node.func) not in MARKS:
            continue
        if node.args and isinstance(node.args[0], ast.JoinedStr | ast.BinOp):
            yield node.lineno


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


def test_no_marked_text_is_put_together() -> None:
    lines_by_file = {
        str(path.relative_to(PRODUCT)): lines
        for path in PRODUCT.rglob("*.py")
        if (lines := list(put_together(path.read_text())))
    }
    assert lines_by_file == {}
    assert list(put_together('_(f"Page {n}")\nmessage("a" + b)\n_("Page {n}")')) == [1, 2]


def test_no_template_has_a_text_outside_of_translations() -> None:
    lines_by_file = {
        str(path.name): lines
        for path in (PRODUCT.parent / "templates").rglob("*.html")
        if (lines := list(unmarked_lines(path.read_text())))
    }
    assert lines_by_file == {}
    assert list(unmarked_lines('<p class="x">Rank {{ n }}</p>')) == [1]
    assert list(unmarked_lines('<p>{% translate "Rank" %} {{ n }}</p>')) == []
    assert list(unmarked_lines('<i title="Rank {{ n }}"></i>')) == [1]
    assert list(unmarked_lines('<i title="{% translate "Rank" %}"></i>')) == []


BLOCKS = re.compile(
    r"\{#.*?#\}|\{% blocktranslate\b.*?\{% endblocktranslate %\}|\{% comment.*?endcomment %\}"
    r"|\{% block width %\}.*?\{% endblock %\}|\{% block (?:columns|posts) %\}.*?\{% endblock %\}"
    r"|<(code|pre|script|style)\b.*?</\1>",
    re.DOTALL,
)
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
READ = re.compile(r'\b(?:aria-label|alt|data-label|placeholder|title)="([^"]*)"')
"""Attributes that people read."""
ELEMENTS = re.compile(r"<[^<>]*>", re.DOTALL)
SAME = re.compile(r"&\w+;|\b(APA|BibTeX|JSON|CSV|Excel|API|UTC|ms|SVG|PNG)\b|<!doctype html>")
"""What is the same in all languages."""


def unmarked_lines(source: str) -> Iterator[int]:
    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    def read_aloud(match: re.Match[str]) -> str:
        return blank(match) + " ".join(READ.findall(match[0]))

    text = ELEMENTS.sub(read_aloud, TAGS.sub(blank, BLOCKS.sub(blank, source)))
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"[^\W\d_]{2,}", SAME.sub("", line)):
            yield number
