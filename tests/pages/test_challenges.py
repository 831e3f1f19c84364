"""The list of challenges."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from pytest_django import DjangoAssertNumQueries

from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def test_the_list_shows_the_leader_and_the_number_of_participants(
    client: Client, make: Make, submit: Submit
) -> None:
    sprint = make("Sprint", summary="Who is first?")
    submit(sprint, "atlas", elapsed_ms=12_500)
    submit(sprint, "borealis", elapsed_ms=900)
    text = words(get(client, "/"))
    assert "Sprint Who is first? Leader borealis 900 ms Time Participants 2" in text


def test_the_list_says_that_no_participant_is_ranked(
    client: Client, make: Make, submit: Submit
) -> None:
    submit(make("Sprint"), "atlas", succeeded=False, elapsed_ms=1)
    assert "Nobody yet" in words(get(client, "/"))


def test_an_empty_list_helps_with_the_first_challenge(client: Client) -> None:
    assert "There are no challenges yet." in words(get(client, "/"))


def test_the_list_can_be_searched_by_name_and_summary(client: Client, make: Make) -> None:
    make("Sprint")
    make("Summaries", summary="In a sprint of ten minutes")
    make("House style")
    text = words(get(client, "/?q=SPRINT"))
    assert "Summaries" in text
    assert "House style" not in text
    assert "No challenge matches." in words(get(client, "/?q=nothing"))


@pytest.mark.parametrize(("state", "shown"), [("open", "Sprint"), ("closed", "First light")])
def test_the_list_can_be_filtered_by_state(
    client: Client, make: Make, state: str, shown: str
) -> None:
    make("Sprint")
    make("First light", is_active=False)
    html = get(client, f"/?state={state}")
    assert html.count("<h2>") == 1
    assert shown in html


def test_only_members_see_private_challenges(
    client: Client, as_ann: Client, as_zoe: Client, make: Make
) -> None:
    make("Curtain", visibility="private")
    make("Shelf", visibility="unlisted")
    assert "Curtain" not in get(client, "/") + get(as_zoe, "/")
    assert "Shelf" not in get(client, "/") + get(as_zoe, "/")
    assert {"Curtain", "Shelf"} <= set(words(get(as_ann, "/")).split())


def test_many_challenges_take_as_many_queries_as_one(
    client: Client,
    make: Make,
    submit: Submit,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(4):
        submit(make(f"Sprint {number}"), f"atlas {number}", elapsed_ms=number)
    cache.clear()
    with django_assert_num_queries(7):  # two of them read whether scoring is delayed
        assert get(client, "/").count("<h2>") == 4


@pytest.mark.parametrize("page", ["0", "-1", "2", "x", "٣", "99999999"])
def test_a_page_beyond_the_last_is_not_found(client: Client, page: str) -> None:
    get(client, f"/?page={page}", status=404)


@override_settings(SITE_NAME="Harbour board")
def test_the_list_has_the_name_of_the_site(client: Client) -> None:
    assert "<title>Challenges · Harbour board</title>" in get(client, "/")
