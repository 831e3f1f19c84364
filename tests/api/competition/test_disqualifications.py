"""Organisers disqualify and reinstate participants, and members appeal, through the API."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Challenge
from tests.api.conftest import ME, Api, Run, refused
from tests.people import give_each_an_account

ATLAS = "challenges/sprint/registrations/atlas/disqualification/"
APPEAL = "challenges/sprint/registration/appeal/"
BOARD = "challenges/sprint/leaderboard/"


@pytest.fixture
def scored(run: Run, sprint: Challenge) -> Challenge:
    for elapsed, who in enumerate(("atlas", "bolt")):
        run(who, elapsed_ms=elapsed)
    return sprint


def disqualify(api: Api, reason: str = "Cheated") -> Any:
    return api.put(ATLAS, {"reason": reason})


def test_the_board_says_who_is_disqualified_and_why(
    scored: Challenge, organiser: Api, anyone: Api
) -> None:
    give_each_an_account(scored)
    participant = disqualify(organiser).json()
    assert participant["disqualified_reason"] == "Cheated"
    assert participant["disqualified_at"]
    first, last = anyone.get(BOARD).json()["rows"]
    assert (first["rank"], first["unranked"], first["disqualified_reason"]) == (1, None, None)
    assert (last["rank"], last["unranked"]) == (None, "disqualified")
    assert last["disqualified_reason"] == "Cheated"
    assert anyone.json_lines("challenges/sprint/leaderboard.jsonl") == [first, last]
    table = anyone.text("challenges/sprint/leaderboard.csv")
    assert table.splitlines()[-1].endswith(",disqualified,reported unreviewed")
    assert organiser.delete(ATLAS).json()["disqualified_at"] is None
    assert [row["rank"] for row in anyone.get(BOARD).json()["rows"]] == [1, 2]
    refused(organiser.delete(ATLAS), 409, "conflict")


def test_its_members_are_told_why_they_may_not_submit(
    scored: Challenge, organiser: Api, submitter: Api
) -> None:
    disqualify(organiser)
    answer = submitter.post("challenges/sprint/attempts/", ME)
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


def test_an_unknown_participant_and_an_empty_reason_are_refused(
    scored: Challenge, organiser: Api
) -> None:
    refused(organiser.put(ATLAS.replace("atlas", "nobody"), {}), 404, "not_found")
    error = refused(disqualify(organiser, ""), 400, "invalid")
    assert list(error["fields"]) == ["reason"]
