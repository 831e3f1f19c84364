"""Every address that a page of the admin names exists: links, styles, scripts, parts of pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib import admin
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from tests.html.walked import paths_of_admin
from tests.people import organiser_of, signed_in
from tests.queries.world import ADMIN, World

pytestmark = [pytest.mark.once, pytest.mark.django_db]

NAMED = re.compile(r'\b(?:href|src|action|data-hx-get|data-hx-post)="([^"#]*)')
IN_STYLES = re.compile(r"""url\(["']?([^"')#]+)""")
STATIC = "/static/"
HASH = re.compile(r"\.[0-9a-f]{12}(\.\w+)$")
"""In the name of a static file, which changes with its content."""
LEAVES = ("/logout/", "/sign-out/")


@pytest.mark.slow
@pytest.mark.parametrize("is_operator", [True, False])
def test_every_address_that_a_page_of_the_admin_names_exists(*, is_operator: bool) -> None:
    world = World()
    world.grow(2)
    user = world.ann if is_operator else organiser_of(world.tenant, "olga", is_staff=True)
    client = signed_in(user)
    named = set(addresses_of_pages(client))
    assert len(named) > 50
    missing = {address for address in named if not exists(client, address)}
    assert missing == set()


def addresses_of_pages(client: Client) -> Iterator[str]:
    lists = [reverse(f"admin:leaderboard_{name}_changelist") for name in ADMIN]
    for path in (reverse("admin:index"), *lists, *paths_of_admin()):
        answer = client.get(path)
        if answer.status_code != 200:  # Not every user may see or add every row.
            continue
        for name in NAMED.findall(answer.content.decode()):
            address = urljoin(path, unescape(name))
            if not urlsplit(address).netloc and not address.endswith(LEAVES):
                yield address


def exists(client: Client, address: str) -> bool:
    path = urlsplit(address).path
    if path.startswith(STATIC):
        return is_a_file(path)
    answer = client.get(address, follow=True)
    # An address that is only posted to refuses to be fetched, so it exists.
    return answer.status_code in (200, 405)


def is_a_file(path: str) -> bool:
    """Whether a static file exists, and every file that it names if it is a style sheet."""
    file = finders.find(HASH.sub(r"\1", path.removeprefix(STATIC)))
    if file is None:
        return False
    if not path.endswith(".css"):
        return True
    with open(file, encoding="utf-8") as sheet:
        named = (name for name in IN_STYLES.findall(sheet.read()) if not name.startswith("data:"))
        return all(is_a_file(urljoin(path, name)) for name in named)


def test_the_admin_has_every_model_of_the_lists() -> None:
    registered = {model._meta.model_name for model in admin.site._registry}
    assert {*ADMIN} <= registered


def test_browsers_that_ask_for_an_icon_get_it(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 302
    assert is_a_file(answer.headers["Location"])
