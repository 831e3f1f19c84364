"""Private challenges are invisible to outsiders on every page."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.pages.conftest import Make, Submit
from tests.pages.reading import get

pytestmark = pytest.mark.django_db


@pytest.fixture
def paths(make: Make, submit: Submit) -> list[str]:
    """Return the pages of a private challenge."""
    attempt = submit(make("Curtain", visibility="private"), "atlas", elapsed_ms=1)
    board = "/c/curtain/"
    return [board, f"{board}rules/", f"{board}p/atlas/", f"/attempts/{attempt.pk}/"]


def test_only_members_open_private_challenges(
    client: Client, as_ann: Client, as_zoe: Client, paths: list[str]
) -> None:
    for path in paths:
        get(client, path, status=404)
        get(as_zoe, path, status=404)
        assert '<meta name="robots" content="noindex">' in get(as_ann, path)
    get(as_zoe, "/c/curtain/submit/", status=404)


def test_unlisted_challenges_open_by_url_and_are_not_indexed(client: Client, make: Make) -> None:
    make("Shelf", visibility="unlisted")
    make("Market")
    assert '<meta name="robots" content="noindex">' in get(client, "/c/shelf/")
    assert "noindex" not in get(client, "/c/market/")


def test_participants_are_shown_only_on_challenges_they_attempted(
    client: Client, make: Make, submit: Submit
) -> None:
    make("Market")
    submit(make("Curtain", visibility="private"), "atlas", elapsed_ms=1)
    get(client, "/c/market/p/atlas/", status=404)
