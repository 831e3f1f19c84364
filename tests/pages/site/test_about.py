"""The page about the software."""

from __future__ import annotations

import pytest
from django.test import Client, override_settings

from leaderboard.version import VERSION
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def test_the_page_has_version_and_licence(client: Client) -> None:
    text = words(get(client, "/about/"))
    assert f"Version {VERSION} Licence Apache License 2.0" in text
    assert 'rel="noopener"' not in get(client, "/about/").partition("<main")[2]


@override_settings(SOURCE_URL="https://example.org/podium", SITE_NAME="Harbour board")
def test_the_page_has_the_address_of_the_source_and_the_name_of_the_site(client: Client) -> None:
    html = get(client, "/about/")
    assert '<a href="https://example.org/podium" rel="noopener">' in html
    assert "Harbour board runs Podium" in words(html)


def test_every_page_links_the_page_about_the_software(client: Client) -> None:
    assert '<a href="/about/">About</a>' in get(client, "/")
