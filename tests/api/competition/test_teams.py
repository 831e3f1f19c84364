"""Teams through the API and on their page."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, Phase, Registration, RegistrationRules, User
from leaderboard.services.attempts.read import read_attempts
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.scoring import single
from tests.api.competition.captains import eve, other, submitter
from tests.api.conftest import ME, Api, refused
from tests.people import signed_in

__all__ = ["eve", "other", "submitter"]


TEAM = "challenges/sprint/team/"
PAST = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
def team(sprint: Challenge, bob: User) -> Challenge:
    declare_rules(sprint, {"largest_team": 3})
    register(sprint, bob, {"participant": "atlas", "kind": "team"})
    return sprint


def test_a_member_joins_and_becomes_captain(team: Challenge, submitter: Api, other: Api) -> None:
    refused(other.get(TEAM), 404, "not_found")
    refused(other.post(f"{TEAM}links/"), 404, "not_found")
    made = submitter.post(f"{TEAM}links/")
    assert made.status_code == 201
    link = made.json()
    assert link["url"] == f"http://testserver/link/#{link['code']}"
    refused(other.post(f"{TEAM}join/", {"code": "wrong"}), 404, "not_found")
    refused(other.post(f"{TEAM}join/", {"kode": "wrong"}), 400, "invalid", "kode", "code")
    answer = other.post(f"{TEAM}join/", {"code": link["code"]}).json()
    assert [(member["username"], member["role"]) for member in answer["members"]] == [
        ("bob", "captain"),
        ("eve", "member"),
    ]
    assert other.post("challenges/sprint/attempts/", ME).status_code == 202
    refused(other.patch(f"{TEAM}members/eve/", {"role": "captain"}), 403, "permission_denied")
    refused(submitter.patch(f"{TEAM}members/eve/", {"role": "x"}), 400, "invalid", "role")
    answer = submitter.patch(f"{TEAM}members/eve/", {"role": "captain"}).json()
    assert answer["members"][0]["username"] == "eve"
    assert submitter.delete(f"{TEAM}members/bob/").status_code == 204
    refused(submitter.get(TEAM), 404, "not_found")
    refused(submitter.post("challenges/sprint/attempts/", ME), 403, "permission_denied")


def test_members_read_the_quota_of_their_team(team: Challenge, submitter: Api, other: Api) -> None:
    Phase.objects.update(total=2)
    code = submitter.post(f"{TEAM}links/").json()["code"]
    path = "challenges/sprint/quota/"
    assert other.get(path).json()["participants"] == []
    other.post(f"{TEAM}join/", {"code": code})
    assert other.post("challenges/sprint/attempts/", ME).status_code == 202
    quota = {"quota": "total", "limit": 2, "used": 1, "next_at": None}
    for api in (submitter, other):
        (mine,) = api.get(path).json()["participants"]
        assert mine == {"participant": "atlas", "agreed_until": None, "quotas": [quota]}
    submitter.delete(f"{TEAM}members/eve/")
    assert other.get(path).json()["participants"] == []


def test_a_captain_removes_a_member(team: Challenge, submitter: Api, other: Api) -> None:
    code = submitter.post(f"{TEAM}links/").json()["code"]
    other.post(f"{TEAM}join/", {"code": code})
    assert submitter.delete(f"{TEAM}members/eve/").status_code == 204
    refused(submitter.delete(f"{TEAM}members/eve/"), 404, "not_found")


def test_the_page_makes_a_link_that_the_link_page_takes(
    team: Challenge, bob: User, eve: User
) -> None:
    page = "/c/sprint/team/"
    captain, member, visitor = signed_in(bob), signed_in(eve), Client()
    assert member.get(page).url == "/c/sprint/register/"  # type: ignore[attr-defined]
    text = captain.post(page, {"action": "link"}).content.decode()
    code = text.split("/link/#", 1)[1].split("<", 1)[0]
    assert visitor.post("/link/", {"code": code}).status_code == 422
    answer = member.post("/link/", {"code": code})
    assert (answer.status_code, answer.headers["Location"]) == (302, page)
    assert "eve" in member.get(page).content.decode()
    captain.post(page, {"action": "captain", "username": "eve"})
    captain.post(page, {"action": "leave"})
    # As a word: a random token of a form may have the letters.
    assert not re.search(r"\bbob\b", member.get(page).content.decode())
    assert captain.get(page).status_code == 302
    assert member.post(page, {"action": "dance"}).status_code == 404


@pytest.mark.parametrize(
    ("reason", "team_of", "rules"),
    [
        ("declined or disqualified", {"disqualified_at": PAST}, {}),
        ("declined or disqualified", {"status": "declined"}, {}),
        ("cannot change any more", {}, {"teams_fixed_at": PAST}),
    ],
)
def test_the_page_of_a_team_whose_members_stay_says_why(
    reason: str,
    team_of: dict[str, object],
    rules: dict[str, object],
    team: Challenge,
    submitter: Api,
    bob: User,
    other: Api,
) -> None:
    code = submitter.post(f"{TEAM}links/").json()["code"]
    other.post(f"{TEAM}join/", {"code": code})
    page = signed_in(bob)
    offered = {"Invite somebody", ">Remove<", "Ask to merge"}

    def text() -> str:
        return page.get("/c/sprint/team/").content.decode()

    assert all(button in text() for button in offered)
    assert reason not in text()
    Registration.objects.update(**team_of)
    RegistrationRules.objects.update(**rules)
    assert not any(button in text() for button in offered)
    assert reason in text()
    assert "Make captain" in text()


def test_members_see_the_tab_the_team_and_its_details(
    team: Challenge, bob: User, eve: User, submitter: Api, other: Api
) -> None:
    Challenge.objects.update(details_visibility="participant")
    url = submitter.post("challenges/sprint/attempts/", ME).json()["url"]
    single.score_waiting()
    attempt = Attempt.objects.select_related("participant").get()
    challenge = Challenge.objects.select_related("shown_config").get()
    for is_member in (False, True):
        if is_member:
            code = submitter.post(f"{TEAM}links/").json()["code"]
            other.post(f"{TEAM}join/", {"code": code})
        (reading,) = read_attempts(
            challenge, [attempt], reader=eve, organiser=False, access=Access(challenge.pk)
        )
        assert reading.details_open is is_member
        assert other.get(url).status_code == 200
    page = signed_in(eve)
    text = page.get("/c/sprint/submit/").content.decode()
    assert 'href="/c/sprint/register/"' in text
    assert 'value="atlas"' in text
