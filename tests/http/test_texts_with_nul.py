"""No address, query or form with the character NUL is an error of the server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.api.operations import accepted_by
from leaderboard.api.urls import urlpatterns
from tests.api.test_strictness import view_of
from tests.sight.test_matrix import address, routes
from tests.sight.world import World

pytestmark = pytest.mark.django_db

QUERIES: Final = (
    *("q", "search", "sort", "page", "rows", "phase", "kinds", "verified", "participant", "p"),
    *("state", "status", "user", "next", "kind", "template", "announcement", "error", "tasks"),
)
"""What pages read of the query, by any name."""
OTHERS: Final = ("challenges", "plugins", "status", "account", "new", "people", "account_login")
NAMES: Final = {"cup", "main", "quixote", "bob"}
"""The texts in addresses of the world."""


def asked(world: World) -> Iterator[str]:
    """Addresses with a NUL in each place where they may have a text."""
    for name in QUERIES:
        yield from (f"{reverse(route)}?{name}=a%00b" for route in OTHERS)
    for route in routes():
        path = address(world, route, "bob")
        if not route.startswith("api:"):
            yield from (f"{path}?{name}=a%00b" for name in QUERIES)
        for part in [
            piece for piece in path.split("/") if piece in ("cup", "main", "quixote", "bob")
        ]:
            yield path.replace(f"/{part}/", "/a%00b/")
    for pattern in urlpatterns:
        view = view_of(pattern)
        route = f"api:{pattern.name}"
        if hasattr(view, "get") and route in routes():
            path = address(world, route, "bob")
            yield from (f"{path}?{name}=a%00b" for name in accepted_by(view.get).query)


def forms_of(page: str) -> Iterator[dict[str, str]]:
    """What each form of a page sends, once for each of its buttons, with a NUL in every text."""
    for form in re.findall(r"<form [^>]*method=\"post\".*?</form>", page, re.DOTALL):
        texts = re.findall(r'<(?:input|textarea|select)[^>]* name="([^"]+)"', form)
        sent = {name: "a\0b" for name in texts if name != "csrfmiddlewaretoken"}
        buttons = re.findall(r'<button[^>]* name="([^"]+)" value="([^"]*)"', form)
        hidden = re.findall(r'<input type="hidden" name="(action)" value="([^"]*)"', form)
        yield from ({**sent, name: value} for name, value in [*buttons, *hidden])


@pytest.mark.slow
def test_addresses_and_queries_with_nul_are_no_errors_of_the_server() -> None:
    world = World()
    for reader in ("organiser", "participant"):
        client = world.clients[reader]
        client.raise_request_exception = False
        failed = [path for path in asked(world) if client.get(path).status_code >= 500]
        assert failed == []


@pytest.mark.slow
def test_forms_with_nul_are_no_errors_of_the_server() -> None:
    world = World()
    failed = []
    for reader in ("organiser", "participant"):
        client = world.clients[reader]
        client.raise_request_exception = False
        for route in (name for name in routes() if not name.startswith("api:")):
            failed += posted(client, address(world, route, "bob"))
    assert failed == []


def posted(client: Client, path: str) -> list[tuple[str, str]]:
    """The forms of a page that the server fails at."""
    answer = client.get(path)
    if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html"):
        return []
    return [
        (path, urlencode(sent))
        for sent in forms_of(answer.getvalue().decode())
        if client.post(path, sent).status_code >= 500
    ]
