"""The search over challenges and participants."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Challenge, Phase
from leaderboard.rules.visibility.view import ViewSettings
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.sight.world import World

pytestmark = pytest.mark.django_db


def test_challenges_and_participants_are_found(client: Client, make: Make, submit: Submit) -> None:
    sprint = make("Atlas sprint", summary="Who is first?")
    submit(sprint, "Atlas-7B", elapsed_ms=900)
    submit(make("Marathon"), "Atlas-7B", elapsed_ms=900)
    submit(sprint, "borealis", elapsed_ms=900)
    html = get(client, "/search/?q=atlas")
    text = words(html)
    assert "Challenges Atlas sprint Who" in text
    assert "Atlas-7B System Atlas sprint Marathon" in text
    assert "borealis" not in text
    assert 'href="/c/marathon/p/atlas-7b/" aria-label="Atlas-7B at Marathon"' in html


def test_a_search_without_a_result_says_why(client: Client, make: Make, submit: Submit) -> None:
    submit(make("Sprint"), "atlas", elapsed_ms=900)
    for query, phrase in (
        ("", "name or summary"),
        ("?q=+", "name or summary"),
        ("?q=a", "2 characters"),
        ("?q=nothing", "“nothing”"),
        ("?q=%25%25", "“%%”"),
    ):
        text = words(get(client, f"/search/{query}"))
        assert phrase in text, query
        assert "Sprint" not in text, query


def test_challenges_that_no_list_names_are_not_searched(
    client: Client, as_zoe: Client, as_ann: Client, make: Make, submit: Submit
) -> None:
    for visibility in ("private", "unlisted"):
        submit(make(f"Curtain {visibility}", visibility=visibility), "zephyr", elapsed_ms=900)
    make("Curtain draft", is_draft=True)
    for reader in (client, as_zoe):
        text = words(get(reader, "/search/?q=zephyr") + get(reader, "/search/?q=curtain"))
        assert "Curtain" not in text
        assert "zephyr at" not in text
    assert "zephyr at Curtain private" in get(as_ann, "/search/?q=zephyr")
    text = words(get(as_ann, "/search/?q=curtain"))
    assert "Curtain draft" in text
    assert "Sample" not in text


def test_hidden_participants_are_not_found() -> None:
    world = World()
    path, line = "/search/?q=zanzi", "Zanzibar at Cup"
    for settings in (
        ViewSettings(names="anonymous"),
        ViewSettings(board="organisers"),
        ViewSettings(board="participants"),
        ViewSettings(scores="hidden"),
    ):
        world.show(settings, "open")
        assert "Zanzibar" not in get(world.clients["anyone"], path), settings
        assert line in get(world.clients["organiser"], path), settings
    world.show(ViewSettings(), "open")
    assert line in get(world.clients["anyone"], path)


def test_rows_from_behind_a_freeze_are_not_found(
    client: Client, as_ann: Client, sprint: Challenge, submit: Submit
) -> None:
    now, day = timezone.now(), timedelta(days=1)
    set_phase(sprint, opens_at=now - 2 * day, freezes_at=now - day, closes_at=now + day)
    submit(sprint, "zephyr", elapsed_ms=900)
    assert "zephyr at" not in get(client, "/search/?q=zephyr")
    assert "zephyr at Sprint" in get(as_ann, "/search/?q=zephyr")
    Phase.objects.update(reveals_at=now - timedelta(minutes=1))
    assert "zephyr at Sprint" in get(client, "/search/?q=zephyr")
