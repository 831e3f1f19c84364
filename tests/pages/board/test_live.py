"""What an open board asks for, and what a changed board tells to whom."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import Board, Challenge, Tenant, User
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.scoring import single
from tests.helpers.phases import set_phase
from tests.pages.conftest import Make, Submit
from tests.people import organiser_of, signed_in
from tests.sight.test_freeze import freeze
from tests.sight.world import World

pytestmark = pytest.mark.django_db

PATH = "/c/sprint/version.json"
DAY = timedelta(days=1)


@pytest.fixture
def sprint(make: Make, submit: Submit) -> Challenge:
    challenge = make("Sprint")
    submit(challenge, "atlas", elapsed_ms=50)
    return challenge


def version(client: Client, path: str = PATH) -> dict[str, Any]:
    response = client.get(path)
    assert response.status_code == 200
    body: dict[str, Any] = response.json()
    return body


def test_a_page_has_the_version_that_it_compares(sprint: Challenge) -> None:
    page = Client().get("/c/sprint/").content.decode()
    now = version(Client())
    assert not now["final"]
    assert f'data-live="{PATH}?since=1.' in page
    assert f'" data-results="{now["results"]}" data-page="{now["page"]}"' in page
    assert "pages/live." in page


def test_a_score_changes_the_results_and_an_announcement_the_page(
    sprint: Challenge, submit: Submit, ann: User
) -> None:
    first = version(Client())
    submit(sprint, "boreas", elapsed_ms=40)
    scored = version(Client())
    assert scored["results"] != first["results"]
    assert scored["page"] == first["page"]
    announce(sprint, {"title": "Late", "text": "An hour more"}, by=ann)
    announced = version(Client())
    assert announced["page"] != scored["page"]
    assert announced["results"] == scored["results"]


def test_a_member_is_told_of_their_own_board_with_the_same_slug(
    sprint: Challenge, submit: Submit
) -> None:
    acme = Tenant.objects.create(slug="acme", name="Acme")
    carol = organiser_of(acme, "carol")
    fields = {"name": "Own", "scoring_strategy": "fastest", "visibility": "private"}
    own = create_challenge(tenant=acme, user=carol, fields=fields)
    Challenge.objects.filter(pk=own.pk).update(slug="sprint")
    member = signed_in(carol)
    before = version(member)
    submit(sprint, "boreas", elapsed_ms=40)
    assert version(member) == before


def test_changes_are_counted_since_the_page_was_made(sprint: Challenge, submit: Submit) -> None:
    page = Client().get("/c/sprint/").content.decode()
    path = re.findall(r'data-live="([^"]+)"', page)[0]
    assert version(Client(), path)["text"] == ""
    submit(sprint, "boreas", elapsed_ms=40)
    assert version(Client(), path)["text"] == "1 change – show it"
    for number in range(2):
        submit(sprint, "boreas", elapsed_ms=30 - number)
    assert version(Client(), path)["text"] == "3 changes – show them"
    assert Client().get(path, headers={"accept-language": "de"}).json()["text"] == (
        "3 Änderungen – zeigen"
    )


def test_another_board_has_no_number_of_changes(sprint: Challenge) -> None:
    for since in ("", "0", "0.", "1.00", "x.y", f"{'9' * 5000}.{'a' * 16}"):
        assert version(Client(), f"{PATH}?since={since}")["text"] == "", since


def test_an_unchanged_board_is_a_304_of_one_statement(sprint: Challenge, submit: Submit) -> None:
    client = Client()
    first = client.get(PATH)
    headers = {"If-None-Match": first.headers["ETag"]}
    with CaptureQueriesContext(connection) as queries:
        same = client.get(PATH, headers=headers)
    assert same.status_code == 304
    assert same.headers["ETag"] == first.headers["ETag"]
    assert len(queries) == 1
    submit(sprint, "boreas", elapsed_ms=40)
    assert client.get(PATH, headers=headers).status_code == 200


def test_a_closed_board_that_rests_is_final(sprint: Challenge, ann: User) -> None:
    change_challenge(sprint, user=ann, fields={"is_active": False})
    Board.objects.update(changed_at=timezone.now() - DAY)
    page = Client().get("/c/sprint/").content.decode()
    assert "data-live" not in page
    assert "pages/live." not in page


def test_a_phase_that_has_just_ended_is_asked_for(sprint: Challenge) -> None:
    now = timezone.now()
    set_phase(sprint, opens_at=now - DAY, closes_at=now - timedelta(minutes=1))
    assert not version(Client())["final"]
    assert not version(Client(), f"{PATH}?phase=main")["final"]
    Board.objects.update(changed_at=timezone.now() - DAY)
    assert version(Client())["final"]


def test_invisible_challenges_have_no_version_address(make: Make, as_zoe: Client) -> None:
    make("Secret", visibility="private")
    for client in (Client(), as_zoe):
        assert client.get("/c/secret/version.json").status_code == 404
    assert Client().get("/c/nowhere/version.json").status_code == 404
    assert Client().get("/c/nowhere/version.json?phase=x").status_code == 404


def test_a_frozen_board_does_not_tell_of_hidden_changes() -> None:
    world = World()
    freeze(world, late="eve")
    path, client = "/c/cup/version.json", world.clients["anyone"]
    before, seen_by_organiser = version(client, path), version(world.clients["organiser"], path)
    world.submit("eve")
    single.score_waiting()
    assert version(client, path) == before
    assert version(world.clients["organiser"], path) != seen_by_organiser
    page = client.get("/c/cup/").content.decode()
    assert f'data-results="{before["results"]}"' in page


def test_readers_of_a_partial_board_get_no_change_notice() -> None:
    world = World()
    freeze(world, late="eve")
    nothing = {"results": "", "page": "", "final": True, "text": ""}
    path, stranger = "/c/cup/version.json", world.clients["stranger"]
    for setting in ("own", "organisers", "participants"):
        world.declare(board=setting)
        assert version(stranger, path) == nothing, setting
        assert "data-live" not in stranger.get("/c/cup/").content.decode()
        assert not version(world.clients["organiser"], path)["final"]
