"""No page and no list asks the database more often because it has more rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from tests.people import signed_in
from tests.queries.world import World

pytestmark = pytest.mark.django_db

SHOWS_NO_ROWS = {
    "api-docs",
    "api-nothing",
    "healthz",
    "login",
    "logout",
    "password",
    "readyz",
    "schema",
    "status-json",
    # Take what is sent.
    "code",
    "token-revoke",
    "api:bulk",
    "api:imports",
    "api:references",
    "api:registries",
    "api:rescore",
}

NOT_FULL = {"board?sort=elapsed_ms": -1, "board?sort=-elapsed_ms": -1}
"""A sorted page with room left also asks for rows without a value, which come last: one more."""


def counted(client: Client, world: World) -> dict[str, tuple[int, int]]:
    """The status of each address and how many statements it takes, with empty caches."""
    found = {}
    for name, address in world.addresses():
        client.get(address)  # what a process looks up once, such as content types
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address)
            response.getvalue()
        found[name] = (response.status_code, len(queries))
    return found


@pytest.mark.parametrize("who", ["an organiser", "anyone"])
def test_a_hundred_rows_cost_what_one_does(who: str) -> None:
    world = World()
    client = signed_in(world.ann) if who == "an organiser" else Client()
    world.grow(1)
    one = counted(client, world)
    if who == "an organiser":
        assert {name: status for name, (status, _) in one.items() if status != 200} == {}
    world.grow(100)
    hundred = counted(client, world)
    differ = {name: hundred[name][1] - one[name][1] for name in one if hundred[name] != one[name]}
    assert differ == NOT_FULL


def named(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from named(each.url_patterns, f"{each.namespace}:" if each.namespace else space)
        else:
            yield f"{space}{each.name}"


def test_every_page_and_list_is_counted() -> None:
    world = World()
    world.grow(1)
    reached = {resolve(address.split("?")[0]).view_name for _, address in world.addresses()}
    ours = {name for name in named(get_resolver().url_patterns) if not name.startswith("admin:")}
    assert ours - reached - {"metrics"} == SHOWS_NO_ROWS
