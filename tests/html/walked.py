"""The pages whose HTML is checked: those of two small worlds, for organisers and for anyone."""

from __future__ import annotations

from collections.abc import Iterator

from django.test import Client
from django.urls import reverse

from leaderboard.services.board.certainty import look_after_certainty
from tests.browser.world import make_world
from tests.people import signed_in
from tests.queries.world import World

MORE = ("api-docs", "new", "login", "status")
ANALYSIS = ("board", "tradeoff", "progress", "tasks", "compare", "rules")


def every_address() -> Iterator[tuple[str, str]]:
    """Yield a name and the HTML of the page of each address."""
    world = World()
    world.grow(2)
    addresses = [each for each in world.addresses() if not each[0].startswith("api:")]
    addresses += [(name, reverse(name)) for name in MORE]
    addresses.append(("admin:new", reverse("admin:leaderboard_challenge_add")))
    yield from pages(addresses, signed_in(world.ann), "organiser")
    yield from pages(addresses, Client(), "anyone")
    yield from pages([("nothing", "/nowhere/")], Client(), "anyone")


def pages(addresses: list[tuple[str, str]], client: Client, who: str) -> Iterator[tuple[str, str]]:
    for name, address in addresses:
        answer = client.get(address)
        if answer["Content-Type"].startswith("text/html") and answer.content:
            yield f"{name} of {who}", answer.content.decode()


def drawn_pages() -> Iterator[tuple[str, str]]:
    """Yield the pages of the world of the browser tests, which have charts and intervals."""
    world = make_world()
    while look_after_certainty():
        pass
    paths = [(path, path) for path in (*world.paths, *world.own_paths)]
    paths += [(f"{name} of lock-house", reverse(name, args=["lock-house"])) for name in ANALYSIS]
    yield from pages(paths, signed_in(world.ann), "organiser")
    yield from pages(paths, Client(), "anyone")
