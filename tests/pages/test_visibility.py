"""What is not public is not there for outsiders, on any page."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.pages.conftest import Make, Submit
from tests.pages.reading import get

pytestmark = pytest.mark.django_db


@pytest.fixture
def paths(make: Make, submit: Submit) -> list[str]:
    """The pages of a private challenge."""
    attempt = submit(make("Curtain", visibility="private"), "atlas", elapsed_ms=1)
    board = "/c/curtain/"
    return [board, f"{board}rules/", f"{board}p/atlas/", f"/attempts/{attempt.pk}/"]


def test_private_challenges_are_there_for_members_only(
    client: Client, as_ann: Client, as_zoe: Client, paths: list[str]
) -> None:
    for path in paths:
        get(client, path, status=404)
        get(as_zoe, path, status=404)
        assert '<meta name="robots" content="noindex">' in get(as_ann, path)
    get(as_zoe, "/c/curtain/submit/", status=404)


def test_unlisted_challenges_open_for_those_who_know_them_and_not_for_robots(
    client: Client, make: Make
) -> None:
    make("Shelf", visibility="unlisted")
    make("Market")
    assert '<meta name="robots" content="noindex">' in get(client, "/c/shelf/")
    assert "noindex" not in get(client, "/c/market/")


def test_participants_are_told_of_only_where_they_took_part(
    client: Client, make: Make, submit: Submit
) -> None:
    make("Market")
    submit(make("Curtain", visibility="private"), "atlas", elapsed_ms=1)
    get(client, "/c/market/p/atlas/", status=404)
