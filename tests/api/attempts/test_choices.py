"""Participants choose the attempts that count through the API."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Challenge
from leaderboard.services.challenges.challenges import change_challenge
from tests.api.conftest import Api, Run, refused

BOARD = "challenges/sprint/leaderboard/"


@pytest.fixture
def chosen(sprint: Challenge) -> Challenge:
    """A challenge in which participants choose one attempt."""
    phases = [{"counting": "chosen", "counted": 1}]
    return change_challenge(sprint, user=None, fields={"phases": phases})


def test_the_chosen_attempt_counts(
    chosen: Challenge, run: Run, submitter: Api, organiser: Api, anyone: Api
) -> None:
    fast, slow = run("atlas", elapsed_ms=1), run("atlas", elapsed_ms=2)
    assert (fast["chosen"], fast["counts"], slow["counts"]) == (False, True, False)
    answer = submitter.put(f"{slow['url']}choice/")
    assert answer.status_code == 200, answer.content
    assert (answer.json()["chosen"], answer.json()["counts"]) == (True, True)
    (row,) = anyone.get(BOARD).json()["rows"]
    assert row["attempt"] == slow["id"]
    refused(submitter.put(f"{fast['url']}choice/"), 409, "conflict")
    assert submitter.delete(f"{slow['url']}choice/").json()["chosen"] is False
    assert organiser.put(f"{fast['url']}choice/").json()["chosen"] is True
    assert anyone.get(fast["url"]).json()["chosen"] is True


def test_others_do_not_choose(chosen: Challenge, run: Run, stranger: Api, anyone: Api) -> None:
    attempt = run("atlas", elapsed_ms=1)
    address = f"{attempt['url']}choice/"
    for method in ("put", "delete"):
        refused(stranger.send(method, address, b""), 403, "permission_denied")
        refused(anyone.send(method, address, b""), 401, "not_authenticated")


def test_a_challenge_without_choices_refuses_one(
    sprint: Challenge, run: Run, submitter: Api
) -> None:
    attempt = run("atlas", elapsed_ms=1)
    error = refused(submitter.put(f"{attempt['url']}choice/"), 409, "conflict")
    assert "do not choose" in error["message"]


def test_a_choice_of_others_is_hidden_with_their_scores(
    chosen: Challenge, run: Run, submitter: Api, anyone: Api
) -> None:
    attempt = run("atlas", elapsed_ms=1)
    assert submitter.put(f"{attempt['url']}choice/").status_code == 200
    phases = [{"counting": "chosen", "counted": 1, "scores": "own"}]
    change_challenge(chosen, user=None, fields={"phases": phases})
    assert submitter.get(attempt["url"]).json()["chosen"] is True
    assert anyone.get(attempt["url"]).json()["chosen"] is False


def test_wrong_rules_of_choosing_are_refused(organiser: Api, sprint: Challenge) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"counting": "median"}, "counting"),
        ({"counting": "mean", "counted": 0}, "counted"),
        ({"counting": "mean", "counted": 101}, "counted"),
        ({"counting": "chosen", "choose_until": "tomorrow"}, "choose_until"),
    ]
    for phase, field in wrong:
        answer = organiser.patch("challenges/sprint/", {"phases": [phase]})
        refused(answer, 400, "invalid", f"phases.0.{field}")
