"""Code versions of a board's plugins over the API, and the decisions of organisers about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused
from tests.helpers.own_scorer import GIVES, own
from tests.plugin_files import write

__all__ = ["own"]


@pytest.fixture
def made(own: Path, organiser: Api) -> Callable[..., Any]:
    def challenge(**fields: Any) -> Any:
        answer = organiser.post(
            "challenges/",
            {
                "name": "Own",
                "scoring_strategy": "custom",
                "scoring_entrypoint": "own.scorer:Gives",
                **fields,
            },
        )
        assert answer.status_code == 201, answer.content
        return answer.json()

    return challenge


@pytest.fixture
def read(submitter: Api, anyone: Api) -> Callable[[str], Any]:
    """Return a function that submits, lets a worker try to score, and reads the attempt."""

    def attempt(participant: str) -> Any:
        body = {"participant": participant, "metrics": {"succeeded": True}}
        url = submitter.post("challenges/own/attempts/", body).json()["url"]
        single.score_waiting()
        return anyone.get(url).json()

    return attempt


def board(anyone: Api) -> Any:
    return anyone.get("challenges/own/leaderboard/").json()


def test_configs_and_scores_have_their_code_version(
    made: Callable[..., Any], read: Callable[[str], Any], own: Path, anyone: Api
) -> None:
    challenge = made()
    assert challenge["on_code_change"] == "warn"
    assert len(challenge["code"]) == 16
    assert board(anyone)["editions"] == 0
    first = read("atlas")
    assert (first["score"], first["code"], first["held"]) == (10.0, challenge["code"], None)
    assert board(anyone)["editions"] == 1
    write(own, GIVES.format(score=99.0))
    second = read("borea")
    assert second["score"] == 99.0
    assert second["code"] not in ("", first["code"])
    assert board(anyone)["editions"] == 2
    assert anyone.get("challenges/own/").json()["code"] == first["code"]


def test_organisers_see_pending_decisions(
    made: Callable[..., Any], read: Callable[[str], Any], own: Path, organiser: Api
) -> None:
    made(on_code_change="hold")
    first = read("atlas")
    state = organiser.get("challenges/own/code/").json()
    (edition,) = state.pop("editions")
    assert (edition["code"], edition["scores"]) == (first["code"], 1)
    assert state == {
        "on_code_change": "hold",
        "code": first["code"],
        "code_now": first["code"],
        "changed": False,
        "held": 0,
    }
    write(own, GIVES.format(score=99.0))
    state = organiser.get("challenges/own/code/").json()
    assert state["changed"]
    assert state["code_now"] not in ("", first["code"])


def test_a_held_attempt_says_so(
    made: Callable[..., Any], read: Callable[[str], Any], own: Path, anyone: Api, organiser: Api
) -> None:
    made(on_code_change="hold")
    read("atlas")
    before = board(anyone)
    write(own, GIVES.format(score=99.0))
    held = read("borea")
    assert (held["status"], held["score"], held["code"]) == ("queued", None, "")
    assert held["held"]["code"] == "code_changed"
    assert "organiser" in held["held"]["message"]
    after = board(anyone)
    assert (before["held"], after["held"]) == (0, 1)
    assert after["version"] > before["version"]
    listed = anyone.get("challenges/own/attempts/").json()["results"]
    assert [bool(attempt["held"]) for attempt in listed] == [True, False]

    answer = organiser.post("challenges/own/code/", {"decision": "go_on"})
    assert answer.status_code == 202, answer.content
    assert (answer.json()["held"], answer.json()["changed"]) == (0, False)
    single.score_waiting()
    read_again = anyone.get(held["url"]).json()
    assert (read_again["status"], read_again["score"], read_again["held"]) == ("scored", 99.0, None)
    assert (board(anyone)["editions"], board(anyone)["held"]) == (2, 0)


def test_invalid_decisions_are_refused(
    made: Callable[..., Any], own: Path, anyone: Api, submitter: Api, organiser: Api
) -> None:
    made()
    path = "challenges/own/code/"
    refused(submitter.get(path), 403, "permission_denied")
    refused(anyone.get(path), 403, "permission_denied")
    refused(submitter.post(path, {"decision": "go_on"}), 403, "permission_denied")
    refused(organiser.post(path, {"decision": "maybe"}), 400, "invalid", "decision")
    refused(organiser.post(path, {}), 400, "invalid", "decision")
    refused(organiser.post(path, {"decision": "go_on", "a": 1}), 400, "invalid", "a")
    refused(organiser.get("challenges/other/code/"), 404, "not_found")
    refused(
        organiser.patch("challenges/own/", {"on_code_change": "ignore"}),
        400,
        "invalid",
        "on_code_change",
    )
    own.unlink()
    answer = organiser.post("challenges/own/code/", {"decision": "go_on"})
    refused(answer, 409, "conflict")


def test_a_change_of_on_code_change_makes_no_new_version(
    made: Callable[..., Any], organiser: Api
) -> None:
    made()
    answer = organiser.patch("challenges/own/", {"on_code_change": "rescore"})
    assert (answer.json()["on_code_change"], answer.json()["scoring_version"]) == ("rescore", 1)


def test_the_board_of_another_phase_has_another_etag_after_a_new_edition(
    made: Callable[..., Any], own: Path, submitter: Api, anyone: Api
) -> None:
    made(phases=[{"slug": "one", "overlaps": True}, {"slug": "two", "overlaps": True}])

    def submitted(phase: str) -> None:
        body = {"participant": "atlas", "metrics": {"succeeded": True}, "phase": phase}
        assert submitter.post("challenges/own/attempts/", body).status_code == 202
        single.score_waiting()

    submitted("two")
    other = "challenges/own/leaderboard/?phase=two"
    before = anyone.get(other)
    assert before.json()["editions"] == 1
    write(own, GIVES.format(score=99.0))
    submitted("one")
    after = anyone.get(other, **{"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, after.json()["editions"]) == (200, 2)
    again = anyone.get(other, **{"If-None-Match": after.headers["ETag"]})
    assert again.status_code == 304
