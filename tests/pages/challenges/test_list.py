"""The list of challenges."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from leaderboard.models import Challenge, Phase
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db
BARS = re.compile(r'<rect width="([0-9.]+)" height="6" rx="1"/></svg>')


def order(html: str) -> list[str]:
    """Return the names of the challenges of a list."""
    return re.findall(r"<h3><a [^>]*><bdi>(.*?)</bdi>", html)


def test_the_list_shows_the_leader_and_the_number_of_participants(
    client: Client, make: Make, submit: Submit
) -> None:
    sprint = make("Sprint", summary="Who is first?")
    submit(sprint, "atlas", elapsed_ms=12_500)
    submit(sprint, "borealis", elapsed_ms=900)
    text = words(get(client, "/"))
    assert "Sprint Who is first? Kind" in text
    assert "Participants 2" in text
    assert "1 borealis 900 ms 2 atlas 12.5 s" in text


def test_organisers_can_make_a_challenge_from_the_list(
    client: Client, as_ann: Client, as_zoe: Client
) -> None:
    assert 'class="go-on"' in get(as_ann, "/")
    for other in (client, as_zoe):
        assert 'class="go-on"' not in get(other, "/")


def test_the_list_shows_three_rows_with_their_ranks_and_bars(
    client: Client, make: Make, submit: Submit
) -> None:
    rated = make("Rated", "highest_rating")
    for name, rating in (("a", 8), ("b", 2), ("c", 2), ("d", 1)):
        submit(rated, name, rating=rating)
    html = get(client, "/")
    assert re.search(r"1 a 8.* 2= b 2.* 2= c 2", words(html))
    assert ">d<" not in html
    assert [float(width) for width in BARS.findall(html)] == [72.0, 18.0, 18.0]


def test_the_list_has_no_bars_where_the_smallest_value_is_the_best(
    client: Client, make: Make, submit: Submit
) -> None:
    submit(make("Sprint"), "a", elapsed_ms=100)
    assert not BARS.findall(get(client, "/"))


def test_the_challenge_with_the_last_attempt_comes_first(
    client: Client, make: Make, submit: Submit
) -> None:
    names = ("Old", "Older", "Hidden")
    _, older, hidden = (make(name) for name in names)
    for days, name in ((9, "Old"), (10, "Older"), (8, "Hidden")):
        at = timezone.now() - timedelta(days=days)
        Challenge.objects.filter(name=name).update(created_at=at)
    assert order(get(client, "/")) == ["Hidden", "Old", "Older"]
    submit(older, "atlas", elapsed_ms=1)
    submit(hidden, "atlas", elapsed_ms=1)
    Phase.objects.filter(challenge=hidden).update(attempts_visibility="own")
    html = get(client, "/")
    assert order(html) == ["Older", "Hidden", "Old"]
    assert html.count("just now") == 1, "hidden attempts tell nothing of their time"


def test_the_list_can_be_filtered(client: Client, make: Make, verses: Challenge) -> None:
    make("Sprint")
    make("First light", is_active=False)
    for query, expected in (
        ("kind=facts", {"Sprint", "First light"}),
        ("kind=texts", {"Verses"}),
        ("kind=tasks", set()),
        ("state=open", {"Sprint", "Verses"}),
        ("state=closed", {"First light"}),
    ):
        assert {*order(get(client, f"/?{query}"))} == expected, query


def test_a_challenge_whose_phase_is_over_is_closed(client: Client, make: Make) -> None:
    sprint = make("Sprint")
    Phase.objects.filter(challenge=sprint).update(closes_at=timezone.now() - timedelta(1))
    assert "Closed" in words(get(client, "/")).partition("Sprint")[2]
    assert order(get(client, "/?state=open")) == []
    assert order(get(client, "/?state=closed")) == ["Sprint"]


def test_the_list_says_that_no_participant_is_ranked(
    client: Client, make: Make, submit: Submit
) -> None:
    assert order(get(client, "/")) == []
    submit(make("Sprint"), "atlas", succeeded=False, elapsed_ms=1)
    assert "No entries yet" in words(get(client, "/"))


def test_the_list_can_be_searched_by_name_and_summary(client: Client, make: Make) -> None:
    make("Sprint")
    make("Summaries", summary="In a sprint of ten minutes")
    make("House style")
    assert {*order(get(client, "/?q=SPRINT"))} == {"Sprint", "Summaries"}
    assert order(get(client, "/?q=nothing")) == []


def test_only_members_see_private_challenges(
    client: Client, as_ann: Client, as_zoe: Client, make: Make
) -> None:
    make("Curtain", visibility="private")
    make("Shelf", visibility="unlisted")
    assert "Curtain" not in get(client, "/") + get(as_zoe, "/")
    assert "Shelf" not in get(client, "/") + get(as_zoe, "/")
    assert {"Curtain", "Shelf"} <= set(words(get(as_ann, "/")).split())


def test_a_page_beyond_the_last_is_not_found(client: Client) -> None:
    for page in ("0", "-1", "2", "x", "٣", "99999999"):
        get(client, f"/?page={page}", status=404)


@override_settings(SITE_NAME="Harbour board")
def test_the_list_has_the_name_of_the_site(client: Client) -> None:
    assert "Harbour board</title>" in get(client, "/")
