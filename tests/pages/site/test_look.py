"""The operator sets the text, colours, logo and first challenges; nobody else does."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import SiteLook, User
from tests.pages.conftest import Make
from tests.pages.reading import get, words
from tests.people import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/manage/site/"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
EMPTY = {"text": "", "accent_light": "", "accent_dark": "", "pinned": ""}


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(User.objects.create_superuser("rita"))


def sent(operator: Client, **fields: Any) -> int:
    return operator.post(PAGE, {**EMPTY, **fields}).status_code


def image(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("logo.svg", content)


def test_all_pages_have_the_colours_and_the_logo(operator: Client, client: Client) -> None:
    assert sent(operator, accent_light="#8a1c5b", logo=image(PNG)) == 302
    page = get(client, "/about/")
    colours = page.partition('href="/site/colours.css')[2].partition('"')[0]
    css = client.get(f"/site/colours.css{colours}")
    assert "--accent:light-dark(#8a1c5b,#" in css.content.decode()
    assert css["Content-Type"] == "text/css"
    assert "immutable" in css["Cache-Control"]
    logo = client.get("/site/logo")
    assert logo.content == PNG
    assert (logo["Content-Type"], logo["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert logo["Cache-Control"] == "no-cache"
    assert sent(operator, removes_logo="on") == 302
    assert "/site/" not in get(client, "/about/")
    assert client.get("/site/logo").status_code == 404
    assert client.get("/site/colours.css").status_code == 404


def test_the_front_page_has_the_text_and_first_challenges(
    operator: Client, client: Client, make: Make
) -> None:
    for name in ("Alpha", "Beta", "Gamma"):
        make(name)
    make("Hidden", visibility="private")
    assert sent(operator, text="# Hello\n<b>*you*</b>", pinned="hidden\nalpha") == 302
    page = get(client, "/")
    assert "<h2>Hello</h2>" in page
    assert "&lt;b&gt;<em>you</em>" in page
    assert "Hidden" not in page
    text = words(page)
    assert text.count("Alpha") == 1
    assert text.index("Pinned") < text.index("Alpha") < text.index("Gamma")
    assert "Pinned" not in words(get(client, "/?q=Alpha"))


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"accent_light": "#e0c000"}, "nearest colour"),
        ({"accent_dark": "#202020"}, "nearest colour"),
        ({"accent_light": "red"}, "#17614a"),
        ({"logo": image(b"<svg xmlns='http://www.w3.org/2000/svg'/>")}, "PNG"),
        ({"logo": image(PNG + b"\0" * 128 * 1024)}, "128 KiB"),
        ({"pinned": "nowhere"}, "nowhere"),
        ({"text": "x" * 2001}, "2000"),
    ],
)
def test_a_wrong_value_changes_nothing(
    operator: Client, fields: dict[str, object], answer: str
) -> None:
    page = operator.post(PAGE, {**EMPTY, **fields})
    assert page.status_code == 422
    assert answer in words(page.content.decode()).partition("Text of the front page")[2]
    assert not SiteLook.objects.exists()


def test_only_operators_open_the_page(as_ann: Client, client: Client) -> None:
    assert as_ann.get(PAGE).status_code == 404
    assert as_ann.post(PAGE, EMPTY).status_code == 404
    assert client.get(PAGE).status_code == 302
