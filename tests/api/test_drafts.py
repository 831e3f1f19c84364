"""Drafts: organisers of the tenant see them, and for all others they do not exist."""

from __future__ import annotations

import pytest

from leaderboard.models import Attempt, AuditEntry, Challenge, Membership, Participant, Tenant, User
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, Api, refused

CHECKLIST = "challenges/plan/checklist/"
SAMPLE = "challenges/plan/sample/"
WAITING = {"state": "waiting", "rank": None, "score": None, "error": ""}
DRAFT = {"name": "Plan", "scoring_strategy": "fastest", "is_draft": True}
READS = ["", "leaderboard/", "attempts/", "quota/", "announcements/", "example.json"]


@pytest.fixture
def plan(organiser: Api) -> Challenge:
    assert organiser.post("challenges/", DRAFT).status_code == 201
    return Challenge.objects.get(slug="plan")


@pytest.fixture
def member(default: Tenant) -> Api:
    """A member of the tenant who does not organise it."""
    user = User.objects.create_user("mia")
    Membership.objects.create(tenant=default, user=user)
    return Api(create_token(user=user, scopes=["read", "submit"])[1])


def test_challenges_are_published_unless_declared_drafts(organiser: Api) -> None:
    made = organiser.post("challenges/", {"name": "Open", "scoring_strategy": "first"}).json()
    assert made["is_draft"] is False


def test_for_others_a_draft_does_not_exist(
    plan: Challenge, anyone: Api, submitter: Api, stranger: Api, member: Api, organiser: Api
) -> None:
    for visibility in ("public", "unlisted", "private"):
        Challenge.objects.update(visibility=visibility)
        for path in READS:
            assert organiser.get(f"challenges/plan/{path}").status_code == 200, path
            for api in (anyone, submitter, stranger, member):
                hidden = refused(api.get(f"challenges/plan/{path}"), 404, "not_found")
                missing = refused(api.get(f"challenges/none/{path}"), 404, "not_found")
                assert hidden == missing
        for api in (anyone, submitter, stranger, member):
            assert api.get("challenges/").json()["results"] == []
        assert len(organiser.get("challenges/").json()["results"]) == 1
        for api in (submitter, stranger, member):
            refused(api.post("challenges/plan/attempts/", ME), 404, "not_found")
        refused(stranger.post("challenges/plan/publish/"), 404, "not_found")


def test_organisers_submit_to_a_draft(
    plan: Challenge, alice: User, anyone: Api, submitter: Api
) -> None:
    api = Api(create_token(user=alice, scopes=["submit"])[1])
    attempt = api.post("challenges/plan/attempts/", ME).json()["id"]
    for reader in (anyone, submitter):
        refused(reader.get(f"attempts/{attempt}/"), 404, "not_found")
    refused(api.get("challenges/plan/leaderboard/"), 403, "permission_denied")


def test_caches_keep_no_board_of_a_draft(plan: Challenge, organiser: Api, anyone: Api) -> None:
    board = "challenges/plan/leaderboard/"
    answer = organiser.get(board)
    assert "public" not in answer["Cache-Control"]
    headers = {"If-None-Match": answer["ETag"]}
    refused(anyone.get(board, **headers), 404, "not_found")
    organiser.post("challenges/plan/publish/")
    assert anyone.get(board, **headers).status_code == 200


def test_publishing_shows_it_once_for_good(
    plan: Challenge, organiser: Api, anyone: Api, submitter: Api, bob: User
) -> None:
    register(plan, bob, {"participant": "Atlas"})
    assert Participant.objects.get().is_private
    answer = organiser.post("challenges/plan/publish/")
    assert answer.status_code == 200
    assert answer.json()["is_draft"] is False
    assert anyone.get("challenges/plan/").status_code == 200
    assert submitter.post("challenges/plan/attempts/", ME).status_code == 202
    assert [participant.is_private for participant in Participant.objects.all()] == [False]
    entry = AuditEntry.objects.get(kind="challenge")
    assert (entry.before, entry.after) == ({"is_draft": True}, {"is_draft": False})
    refused(organiser.post("challenges/plan/publish/"), 409, "conflict")
    refused(submitter.post("challenges/plan/publish/"), 403, "permission_denied")
    error = refused(organiser.patch("challenges/plan/", {"is_draft": True}), 400, "invalid")
    assert list(error["fields"]) == ["is_draft"]


def test_only_organisers_read_the_checklist_and_send_a_sample(
    plan: Challenge, organiser: Api, anyone: Api, submitter: Api, stranger: Api
) -> None:
    checklist = organiser.get(CHECKLIST).json()
    assert (checklist["is_ready"], checklist["sample"]) == (True, None)
    assert {point["key"]: point["state"] for point in checklist["points"]}["sample"] == "missing"
    for reader in (anyone, submitter, stranger):
        refused(reader.get(CHECKLIST), 404, "not_found")
    for sender in (submitter, stranger):
        assert sender.post(SAMPLE).status_code in (403, 404)
    assert not Attempt.objects.exists()
    sent = organiser.post(SAMPLE)
    assert sent.status_code == 202
    assert sent["Location"] == sent.json()["url"]
    waiting = organiser.get(CHECKLIST).json()["sample"]
    assert waiting == {**WAITING, "attempt": sent.json()["id"]}
    single.score_waiting()
    ranked = organiser.get(CHECKLIST).json()["sample"]
    assert ranked == {**waiting, "state": "ranked", "rank": 1}
    assert organiser.get(sent["Location"]).json()["status"] == "scored"
    for reader in (anyone, submitter, stranger):
        refused(reader.get(sent["Location"]), 404, "not_found")


def test_the_sample_is_in_no_export(plan: Challenge, organiser: Api) -> None:
    organiser.post(SAMPLE)
    single.score_waiting()
    board = organiser.get("challenges/plan/leaderboard/").json()
    assert (board["total"], board["ranked"]) == (0, 0)
    assert len(organiser.get("challenges/plan/leaderboard.csv").getvalue().splitlines()) == 1
    assert organiser.get("challenges/plan/leaderboard.jsonl").getvalue() == b""
    assert organiser.get("challenges/plan/attempts/").json()["results"] == []
    assert organiser.get("challenges/plan/registrations/").json()["results"] == []
    assert organiser.post("challenges/plan/publish/").status_code == 200
    assert not Participant.objects.exists()
    refused(organiser.post(SAMPLE), 409, "conflict")
    assert organiser.get(CHECKLIST).status_code == 200


def test_missing_points_are_listed(plan: Challenge, organiser: Api) -> None:
    past = {"opens_at": "2020-01-01T00:00:00Z", "closes_at": "2020-02-01T00:00:00Z"}
    organiser.patch("challenges/plan/", {"phases": [{"slug": "main", **past}]})
    error = refused(organiser.post("challenges/plan/publish/"), 409, "conflict", "phases")
    assert set(error["fields"]) == {"phases", "sample"}
    assert organiser.get(CHECKLIST).json()["is_ready"] is False
    refused(organiser.patch("challenges/plan/", {"is_draft": False}), 409, "conflict", "phases")
    assert organiser.get("challenges/plan/").json()["is_draft"] is True


def test_a_draft_reserves_no_slug_of_others(plan: Challenge, stranger: Api, organiser: Api) -> None:
    theirs = {"name": "Plan", "scoring_strategy": "first"}
    assert stranger.post("challenges/", theirs).json()["slug"] == "plan"
    assert organiser.get("challenges/plan/").json()["is_draft"] is True
    refused(organiser.post("challenges/plan/publish/"), 409, "conflict", "slug")
    Challenge.objects.get(is_draft=True)
    assert organiser.patch("challenges/plan/", {"slug": "our-plan"}).status_code == 200
    assert organiser.post("challenges/our-plan/publish/").status_code == 200
