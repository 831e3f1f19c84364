"""A hidden attempt that changes no row changes nothing that others can ask for."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Challenge
from leaderboard.services.scoring import single
from tests.api.conftest import Api

BOARD = "challenges/sprint/leaderboard/"


@pytest.fixture
def hidden(organiser: Api, sprint: Challenge) -> Challenge:
    phases = [{"slug": "only", "name": "Only", "attempts": "own"}]
    answer = organiser.patch("challenges/sprint/", {"phases": phases})
    assert answer.status_code == 200, answer.content
    return sprint


def submitted(api: Api, elapsed_ms: int) -> None:
    facts = {"succeeded": True, "elapsed_ms": elapsed_ms}
    body = {"participant": "atlas", "metrics": facts}
    assert api.post("challenges/sprint/attempts/", body).status_code == 202
    assert single.score_waiting() == 1


def versions(api: Api, client: Any) -> tuple[object, ...]:
    answer = api.get(BOARD)
    live = client.get("/c/sprint/version.json").json()
    body = answer.json()
    return body["version"], body["updated_at"], answer["ETag"], live["results"]


def test_a_worse_attempt_is_not_told(
    hidden: Challenge, anyone: Api, submitter: Api, organiser: Api, client: Any
) -> None:
    submitted(submitter, 500)
    before, version_before = versions(anyone, client), organiser.get(BOARD).json()["version"]
    submitted(submitter, 900)
    assert versions(anyone, client) == before
    assert organiser.get(BOARD).json()["version"] > version_before
    submitted(submitter, 400)
    assert not set(versions(anyone, client)) - {None} & set(before)
