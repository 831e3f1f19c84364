"""The HTML of every page is valid."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from django.db import transaction

from tests.html.checked import mistakes
from tests.html.walked import drawn_pages, every_address

pytestmark = [pytest.mark.once, pytest.mark.django_db]

VNU_JAR = os.environ.get("VNU_JAR", "")
"""The path of the Nu Html Checker, which then reads all pages too; it needs Java."""
ACCEPTED = {"aria-describedby='id_password_helptext' names no element"}
ACCEPTED_BY_VNU = "Attribute “disabled” not allowed on element “div” at this point."
"""Django draws the hash of a password in the admin with both mistakes."""
Walk = Callable[[], Iterator[tuple[str, str]]]


@cache
def walked(walk: Walk) -> dict[str, str]:
    """The HTML of each page of a walk, by name. What the walk has stored is rolled back."""
    with transaction.atomic():
        pages = dict(walk())
        transaction.set_rollback(True)
    return pages


@pytest.mark.parametrize("walk", [every_address, pytest.param(drawn_pages, marks=pytest.mark.slow)])
def test_every_page_is_valid(walk: Walk) -> None:
    pages = walked(walk)
    assert len(pages) > 50
    mistakes_by_page = {name: set(mistakes(html)) - ACCEPTED for name, html in pages.items()}
    assert {name: wrong for name, wrong in mistakes_by_page.items() if wrong} == {}


@pytest.mark.skipif(not VNU_JAR, reason="VNU_JAR names no checker")
def test_the_nu_html_checker_finds_no_mistakes(tmp_path: Path) -> None:
    """One start of Java reads all pages."""
    files: dict[str, str] = {}
    for walk in (every_address, drawn_pages):
        for name, html in walked(walk).items():
            file = tmp_path / f"{len(files)}.html"
            file.write_text(html)
            files[file.as_uri().replace("file:///", "file:/")] = name
    assert found_by_vnu(files) == {}


def found_by_vnu(files: dict[str, str]) -> dict[str, list[str]]:
    """The mistakes in each file, by the name of its page."""
    paths = [file.removeprefix("file:") for file in files]
    command = ["java", "-Xss4m", "-jar", VNU_JAR, "--errors-only", "--format", "json", *paths]
    written = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    mistakes_by_page: dict[str, list[str]] = {}
    for message in json.loads(written)["messages"]:
        if message["message"] != ACCEPTED_BY_VNU:
            mistake = f"{message['message']} {message.get('extract', '')}"
            mistakes_by_page.setdefault(files[message["url"]], []).append(mistake)
    return mistakes_by_page


def page(body: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>A</title></head><body>{body}</body></html>'


WRONG = (
    "<p>a<p>b</p></p>",
    "<p><div>a</div></p>",
    "<div><span></div>",
    "<a href='/'><button>a</button></a>",
    "<label>a <a href='/'>b</a></label>",
    "<ul><p>a</p></ul>",
    "<dl><div><dt>a</dt></div></dl>",
    "<h2><div>a</div></h2>",
    "<i id='a'></i><i id='a'></i>",
    "<i id='a b'></i>",
    "<i aria-labelledby='a'></i>",
    "<input name='a'>",
    "<label for='a'>a</label><div id='a'></div>",
    "<details>a</details>",
    "<img src='a.png'>",
    "<time>5 Oct 2026</time>",
    "<data>5</data>",
    "<main></main><main></main>",
)
VALID = (
    "<label>a <input name='a'></label>",
    "<label for='a'>a</label><input id='a'>",
    "<input type='hidden' name='a'><button>b</button>",
    "<dl><div><dt>a</dt><dd>b</dd></div></dl>",
    "<time datetime='2026-10-05T08:00:00Z'>5 Oct</time><time>2026-10-05</time>",
    "<svg viewBox='0 0 1 1'><title>a</title><path d='M0 0'/></svg>",
    "<details><summary>a</summary>b</details>",
)


def test_the_check_finds_mistakes_and_nothing_else() -> None:
    assert [body for body in WRONG if not mistakes(page(body))] == []
    assert [body for body in VALID if mistakes(page(body))] == []


def test_a_page_has_a_language_and_a_title() -> None:
    assert mistakes("<!doctype html><html><head></head><body></body></html>") == [
        "no language",
        "no title",
    ]
