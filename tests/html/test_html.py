"""The HTML of every page is valid."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.html.checked import mistakes
from tests.html.walked import drawn_pages, every_address

pytestmark = [pytest.mark.once, pytest.mark.django_db]

VNU_JAR = os.environ.get("VNU_JAR", "")
"""The path of the Nu Html Checker, which then reads all pages too; it needs Java."""
ACCEPTED = {"<label for='id_settings_of'> of <input>"}
"""Django writes a label for the hidden field of a form in the admin."""
ACCEPTED_BY_VNU = re.compile(
    "Attribute “hx-|Attribute “media” not allowed on element “meta”|"
    "“group” for attribute “role” on element “svg”|The value of the “for” attribute"
)
"""Attributes of htmx, what older versions do not know, and the label above."""


@pytest.mark.parametrize("walk", [every_address, drawn_pages])
def test_every_page_is_valid(walk: Callable[[], Iterator[tuple[str, str]]], tmp_path: Path) -> None:
    found, files = {}, 0
    for name, html in walk():
        wrong = [each for each in mistakes(html) if each not in ACCEPTED]
        if wrong:
            found[name] = wrong[:5]
        (tmp_path / f"{files}.html").write_text(f"{html}<!-- {name} -->")
        files += 1
    assert files > 50
    assert found == {}
    if VNU_JAR:
        assert found_by_vnu(tmp_path) == []


def found_by_vnu(folder: Path) -> list[str]:
    files = map(str, folder.glob("*.html"))
    command = ["java", "-jar", VNU_JAR, "--errors-only", "--format", "json", *files]
    written = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    return [
        f"{message['message']} {message.get('extract', '')}"
        for message in json.loads(written)["messages"]
        if not ACCEPTED_BY_VNU.search(message["message"])
    ]


def page(body: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>A</title></head><body>{body}</body></html>'


@pytest.mark.parametrize(
    "body",
    [
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
    ],
)
def test_mistakes_are_found(body: str) -> None:
    assert mistakes(page(body)) != []


@pytest.mark.parametrize(
    "body",
    [
        "<label>a <input name='a'></label>",
        "<label for='a'>a</label><input id='a'>",
        "<input type='hidden' name='a'><button>b</button>",
        "<dl><div><dt>a</dt><dd>b</dd></div></dl>",
        "<time datetime='2026-10-05T08:00:00Z'>5 Oct</time><time>2026-10-05</time>",
        "<svg viewBox='0 0 1 1'><title>a</title><path d='M0 0'/></svg>",
        "<details><summary>a</summary>b</details>",
    ],
)
def test_valid_parts_have_none(body: str) -> None:
    assert mistakes(page(body)) == []


def test_a_page_has_a_language_and_a_title() -> None:
    assert mistakes("<!doctype html><html><head></head><body></body></html>") == [
        "no language",
        "no title",
    ]
