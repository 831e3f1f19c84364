"""Organisers move the best attempts of a phase into the next one through the API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Challenge, Phase
from tests.api.conftest import Api, Run, refused

PATH = "challenges/sprint/phases/main/advance/"


@pytest.fixture
def over(sprint: Challenge, run: Run) -> Challenge:
    for elapsed, who in enumerate(("atlas", "bolt")):
        run(who, elapsed_ms=elapsed)
    now = timezone.now()
    sprint.phases.update(closes_at=now - timedelta(hours=1))
    Phase.objects.create(challenge=sprint, slug="final", position=1, opens_at=now)
    return sprint


def test_a_dry_run_says_who_would_move_and_the_best_move_once(
    over: Challenge, organiser: Api, anyone: Api
) -> None:
    asked = organiser.post(f"{PATH}?dry_run=1", {"best": 1}).json()
    (moved,) = asked.pop("moved")
    assert asked == {"phase": "final", "advanced_at": None}
    assert (moved["participant"], moved["rank"], moved["copy"]) == ("atlas", 1, None)
    done = organiser.post(PATH, {"best": 1}).json()
    assert done["advanced_at"]
    copy = anyone.get(f"attempts/{done['moved'][0]['copy']}/").json()
    assert copy["copied_from"] == moved["attempt"]
    error = organiser.post(PATH, {"best": 1}).json()["error"]
    assert (error["code"], error["advanced"]) == ("conflict", 1)
    assert error["advanced_at"] in error["message"]


def test_only_organisers_move_attempts(over: Challenge, submitter: Api, anyone: Api) -> None:
    refused(submitter.post(PATH, {"best": 1}), 403, "permission_denied")
    refused(anyone.post(PATH, {"best": 1}), 401, "not_authenticated")


def test_wrong_bodies_are_refused_by_field(over: Challenge, organiser: Api) -> None:
    bodies: list[tuple[dict[str, Any], str]] = [
        ({}, "best"),
        ({"best": 0}, "best"),
        ({"best": "3"}, "best"),
        ({"best": 1001}, "best"),
        ({"participants": []}, "participants"),
        ({"best": 1, "participants": ["atlas"]}, "participants"),
        ({"participants": ["atlas", "nobody"]}, "participants.1"),
    ]
    for body, field in bodies:
        refused(organiser.post(PATH, body), 400, "invalid", field)
    refused(organiser.post(PATH.replace("main", "none"), {"best": 1}), 404, "not_found")
