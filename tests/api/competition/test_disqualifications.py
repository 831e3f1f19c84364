"""Organisers disqualify and reinstate participants, and members appeal, through the API."""

from __future__ import annotations

import json

import pytest

from leaderboard.models import Challenge
from leaderboard.services.scoring.single import score_waiting
from tests.api.conftest import Api, refused
from tests.people import give_each_an_account

pytestmark = pytest.mark.django_db

ATLAS = "challenges/sprint/registrations/atlas/disqualification/"
APPEAL = "challenges/sprint/registration/appeal/"
BOARD = "challenges/sprint/leaderboard/"


@pytest.fixture
def scored(submitter: Api, sprint: Challenge) -> Challenge:
    for who, elapsed in (("atlas", 1), ("bolt", 2)):
        body = {"participant": who, "metrics": {"succeeded": True, "elapsed_ms": elapsed}}
        assert submitter.post("challenges/sprint/attempts/", body).status_code == 202
    score_waiting()
    return sprint


def disqualify(api: Api, reason: str = "Cheated") -> object:
    return api.send("put", ATLAS, json.dumps({"reason": reason}).encode())


def test_the_board_says_who_is_disqualified_and_why(
    scored: Challenge, organiser: Api, anyone: Api
) -> None:
    give_each_an_account(scored)
    participant = organiser.send("put", ATLAS, b'{"reason": "Cheated"}').json()
    assert participant["disqualified_reason"] == "Cheated"
    assert participant["disqualified_at"]
    first, last = anyone.get(BOARD).json()["rows"]
    assert (first["rank"], first["unranked"], first["disqualified_reason"]) == (1, None, None)
    assert (last["rank"], last["unranked"]) == (None, "disqualified")
    assert last["disqualified_reason"] == "Cheated"
    lines = anyone.get("challenges/sprint/leaderboard.jsonl").getvalue().decode()
    assert '"disqualified_reason": "Cheated"' in lines
    table = anyone.get("challenges/sprint/leaderboard.csv").getvalue().decode()
    assert table.splitlines()[-1].endswith(",disqualified,reported unreviewed")
    assert organiser.delete(ATLAS).json()["disqualified_at"] is None
    assert [row["rank"] for row in anyone.get(BOARD).json()["rows"]] == [1, 2]
    refused(organiser.delete(ATLAS), 409, "conflict")


def test_its_members_are_told_why_they_may_not_submit(
    scored: Challenge, organiser: Api, submitter: Api
) -> None:
    disqualify(organiser)
    body = {"participant": "atlas", "metrics": {"succeeded": True, "elapsed_ms": 1}}
    answer = submitter.post("challenges/sprint/attempts/", body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (403, "disqualified")
    assert error["reason"] == "Cheated"
    assert error["appeal_at"] == "/c/sprint/register/"


def test_only_organisers_disqualify(
    scored: Challenge, submitter: Api, stranger: Api, anyone: Api
) -> None:
    for api in (submitter, stranger):
        refused(disqualify(api), 403, "permission_denied")
        refused(api.delete(ATLAS), 403, "permission_denied")
    refused(disqualify(anyone), 401, "not_authenticated")
    refused(anyone.post(APPEAL, {"text": "x"}), 401, "not_authenticated")
    refused(stranger.post(APPEAL, {"text": "x"}), 404, "not_found")


def test_unknown_participants_and_wrong_reasons(scored: Challenge, organiser: Api) -> None:
    refused(organiser.send("put", ATLAS.replace("atlas", "nobody"), b"{}"), 404, "not_found")
    error = refused(organiser.send("put", ATLAS, b'{"reason": ""}'), 400, "invalid")
    assert list(error["fields"]) == ["reason"]
