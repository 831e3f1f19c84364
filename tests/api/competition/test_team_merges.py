"""Merging of teams through the API and on the page of the team."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import AskedMerge, Challenge, User
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.scoring import single
from tests.api.competition.captains import eve, other, submitter
from tests.api.conftest import ME, Api, refused
from tests.people import signed_in

__all__ = ["eve", "other", "submitter"]


TEAM = "challenges/sprint/team/"
MERGE, REQUEST = f"{TEAM}merge/", f"{TEAM}merges/atlas/"


@pytest.fixture(autouse=True)
def teams(sprint: Challenge, bob: User, eve: User) -> None:
    declare_rules(sprint, {"largest_team": 3})
    register(sprint, bob, {"participant": "atlas", "kind": "team"})
    register(sprint, eve, {"participant": "zephyr", "kind": "team"})


def test_one_captain_asks_and_the_other_accepts(
    submitter: Api, other: Api, anyone: Api, organiser: Api
) -> None:
    submitter.post("challenges/sprint/attempts/", ME)
    single.score_waiting()
    refused(submitter.post(MERGE, {"participant": "atlas"}), 400, "invalid", "participant")
    refused(submitter.post(MERGE, {}), 400, "invalid", "participant")
    asked = submitter.post(MERGE, {"participant": "zephyr"})
    assert (asked.status_code, asked.json()["asks_to_join"]) == (200, "zephyr")
    assert other.get(TEAM).json()["asked_by"] == ["atlas"]
    for api in (submitter, organiser):
        refused(api.post(REQUEST), 404, "not_found")
    refused(anyone.post(REQUEST), 401, "not_authenticated")
    answer = other.post(REQUEST)
    assert answer.status_code == 200
    team = answer.json()
    assert [member["username"] for member in team["members"]] == ["eve", "bob"]
    assert (team["asks_to_join"], team["asked_by"]) == (None, [])
    assert submitter.get(TEAM).json()["slug"] == "zephyr"
    for name in ("atlas", "zephyr"):
        row = anyone.get(f"challenges/sprint/standings/{name}/").json()
        assert row["participant"]["slug"] == "zephyr"
    page = Client().get("/c/sprint/p/atlas/")
    assert (page.status_code, page.headers["Location"]) == (302, "/c/sprint/p/zephyr/")
    answer = submitter.post("challenges/sprint/attempts/", ME)
    assert answer.json()["error"]["code"] == "not_registered"


def test_requests_are_taken_back_and_refused(submitter: Api, other: Api) -> None:
    refused(submitter.delete(MERGE), 404, "not_found")
    submitter.post(MERGE, {"participant": "zephyr"})
    assert submitter.delete(MERGE).status_code == 204
    refused(other.delete(REQUEST), 404, "not_found")
    again = submitter.post(MERGE, {"participant": "zephyr"})
    refused(again, 429, "throttled")
    assert 0 < int(again.headers["Retry-After"]) <= 86_400
    AskedMerge.objects.all().delete()
    submitter.post(MERGE, {"participant": "zephyr"})
    assert other.delete(REQUEST).status_code == 204
    refused(other.post(REQUEST), 404, "not_found")
    assert submitter.get(TEAM).json()["asks_to_join"] is None


def test_a_refused_merge_gives_its_reason(
    submitter: Api, other: Api, organiser: Api, sprint: Challenge
) -> None:
    organiser.patch("challenges/sprint/", {"phases": [{"slug": "main", "total": 1}]})
    for api, name in ((submitter, "atlas"), (other, "zephyr")):
        assert api.post("challenges/sprint/attempts/", ME | {"participant": name}).status_code == (
            202
        )
    single.score_waiting()
    assert submitter.post(MERGE, {"participant": "zephyr"}).status_code == 200
    error = refused(other.post(REQUEST), 409, "conflict")
    assert "limit of 1 attempts in main" in error["message"]


def test_both_captains_use_the_page(bob: User, eve: User) -> None:
    page = "/c/sprint/team/"
    captain, theirs = signed_in(bob), signed_in(eve)
    assert "Ask to merge" in captain.get(page).content.decode()
    captain.post(page, {"action": "merge", "team": "nobody"})
    assert "has not answered yet" in captain.get(page).content.decode()
    for answer, done in (("refuse", False), ("accept", True)):
        captain.post(page, {"action": "merge", "team": "zephyr"})
        assert "has not answered yet" in captain.get(page).content.decode()
        theirs.post(page, {"action": answer, "team": "atlas"})
        AskedMerge.objects.all().delete()
        assert ("bob" in theirs.get(page).content.decode()) is done
    captain.post(page, {"action": "take-back"})
    text = captain.get(page).content.decode()
    assert "Only the captain" in text
    assert "Ask to merge" not in text
