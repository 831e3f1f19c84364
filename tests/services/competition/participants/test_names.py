"""Renaming participants: former names stay theirs."""

from __future__ import annotations

from functools import partial

import pytest
from django.test import Client

from leaderboard.models import Challenge, FormerName, Participant, Registration, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt, submit_many
from leaderboard.services.competition.participants.names import MOST_FORMER, rename
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.scoring import single
from tests.people import signed_in
from tests.services.competition.relays import code_of

pytestmark = pytest.mark.django_db
FACTS = {"elapsed_ms": 5, "succeeded": True}


@pytest.fixture
def atlas(sprint: Challenge, bob: User) -> Participant:
    return submitted(sprint, bob, "Atlas")


def submitted(challenge: Challenge, user: User, name: str) -> Participant:
    challenge = Challenge.objects.get(pk=challenge.pk)
    new = NewAttempt(name, FACTS)
    return submit_attempt(challenge=challenge, user=user, new=new)[0].participant


def test_attempts_under_the_former_name_still_count(
    sprint: Challenge, bob: User, atlas: Participant
) -> None:
    rename(atlas, "Boreas")
    assert submitted(sprint, bob, "ATLAS") == submitted(sprint, bob, "boreas") == atlas
    news = [NewAttempt("Atlas", FACTS)]
    bulk = submit_many(challenge=sprint, user=bob, news=news)
    assert [(renaming.sent, renaming.kept) for renaming in bulk.renamed] == [("Atlas", "Boreas")]
    assert Participant.objects.count() == 1


def test_nobody_takes_a_former_name(
    sprint: Challenge, bob: User, eve: User, atlas: Participant
) -> None:
    rename(atlas, "Boreas")
    assert code_of(lambda: submitted(sprint, eve, "atlas")) == "permission_denied"
    taken = {"participant": "Atlas"}
    assert code_of(lambda: register(sprint, eve, taken)) == "permission_denied"
    other = submitted(sprint, eve, "Other")
    for name in ("Atlas", "Boreas"):
        assert code_of(partial(rename, other, name)) == "conflict"


def test_a_slug_that_redirects_is_not_given_again(
    sprint: Challenge, eve: User, atlas: Participant
) -> None:
    rename(atlas, "Boreas")
    other = submitted(sprint, eve, "Atlas!")
    assert other.slug.startswith("atlas-")


def test_a_participant_takes_its_name_back(
    sprint: Challenge, bob: User, atlas: Participant
) -> None:
    rename(rename(atlas, "Boreas"), "Atlas")
    atlas.refresh_from_db()
    assert (atlas.handle, atlas.slug) == ("Atlas", "atlas")
    assert [former_name.slug for former_name in FormerName.objects.all()] == ["boreas"]


def test_another_spelling_keeps_the_address(atlas: Participant) -> None:
    rename(atlas, "ATLAS")
    atlas.refresh_from_db()
    assert (atlas.handle, atlas.slug) == ("ATLAS", "atlas")
    assert not FormerName.objects.exists()


def test_the_number_of_former_names_is_limited(atlas: Participant) -> None:
    for number in range(MOST_FORMER):
        rename(atlas, f"name {number}")
    assert code_of(lambda: rename(atlas, "one more")) == "conflict"


def test_old_addresses_redirect(sprint: Challenge, atlas: Participant) -> None:
    single.score_waiting()
    version = Challenge.objects.get().board_version
    rename(atlas, "Boreas")
    assert Challenge.objects.get().board_version > version
    client = Client()
    answer = client.get("/c/sprint/p/atlas/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/c/sprint/p/boreas/")
    assert client.get("/c/sprint/p/nobody/").status_code == 404
    standing = client.get("/api/v1/challenges/sprint/standings/atlas/").json()
    assert standing["participant"]["slug"] == "boreas"


def test_captains_rename_through_page_and_api(sprint: Challenge, bob: User) -> None:
    declare_rules(sprint, {})
    register(sprint, bob, {"participant": "Atlas"})
    client = signed_in(bob)
    client.post("/c/sprint/team/", {"action": "rename", "name": "Boreas"})
    answer = client.patch(
        "/api/v1/challenges/sprint/team/",
        {"participant": "Notus", "name": "The south wind"},
        "application/json",
    )
    participant = answer.json()
    assert (participant["slug"], participant["name"]) == ("notus", "The south wind")
    assert Registration.objects.get().participant.former_names.count() == 2
