"""Addresses with parameters that a page cannot use say what it can use, with links."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from leaderboard.models import Challenge
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get

pytestmark = pytest.mark.django_db


@pytest.fixture
def sprint(make: Make, submit: Submit) -> Challenge:
    fields = [
        {"name": "open", "label": "Open", "type": "boolean"},
        {"name": "size", "label": "Size", "type": "number"},
    ]
    sprint = make("Sprint", meta_fields=fields)
    submit(sprint, "atlas", elapsed_ms=900)
    return sprint


@pytest.mark.parametrize(
    ("query", "links"),
    [
        ("sort=nothing", ["?sort=elapsed_ms", "?sort=meta.size"]),
        ("sort=-nothing&q=a&page=3", ["?sort=elapsed_ms&q=a"]),
        ("columns=nothing", ["?columns=elapsed_ms", "?columns=meta.open"]),
        ("meta.nothing=1", ["", "?meta.open=1", "?meta.size.min=1"]),
        ("meta.open=maybe", ["?meta.open=true", "?meta.open=false"]),
        ("phase=nothing", ["?phase=main"]),
        ("kinds=nothing", ["?kinds=ranked"]),
        ("at=2026-01-01", [""]),
        ("at=2026-01-01&sort=elapsed_ms", ["?sort=elapsed_ms"]),
    ],
)
def test_the_allowed_values_are_links(
    client: Client, sprint: Challenge, query: str, links: list[str]
) -> None:
    html = get(client, f"/c/sprint/?{query}", 404)
    addresses = [unescape(href) for href in re.findall(r'<a href="(/c/sprint/[^"]*)"', html)]
    for link in links:
        address = f"/c/sprint/{link}"
        assert address in addresses
        status = client.get(address).status_code
        assert status == 404 if link == "?meta.open=1" else status in (200, 302), address


def test_no_page_shows_the_board_of_a_moment(client: Client, sprint: Challenge) -> None:
    for page in ("", "tradeoff/", "progress/", "tasks/", "compare/"):
        get(client, f"/c/sprint/{page}?at=2026-01-01", 404)


def test_downloads_have_the_columns_of_the_view(client: Client, sprint: Challenge) -> None:
    for query, columns in (("", "elapsed_ms"), ("?columns=meta.size", "elapsed_ms,meta.size")):
        html = unescape(get(client, f"/c/sprint/{query}")).replace("%2C", ",")
        assert f"leaderboard.md?columns={columns}" in html
        assert html.count(f"columns={columns}") >= 6
