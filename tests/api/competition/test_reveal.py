"""Organisers reveal a frozen board through the API."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from leaderboard.models import Challenge
from tests.api.conftest import Api, refused

PATH = "challenges/sprint/phases/main/reveal/"


def test_a_closed_and_frozen_phase_is_revealed_once(
    sprint: Challenge, organiser: Api, submitter: Api, anyone: Api
) -> None:
    refused(organiser.post(PATH, None), 409, "conflict")
    now, hour = timezone.now(), timedelta(hours=1)
    sprint.phases.update(opens_at=now - 5 * hour, closes_at=now - hour, freezes_at=now - 2 * hour)
    refused(submitter.post(PATH, None), 403, "permission_denied")
    refused(anyone.post(PATH, None), 401, "not_authenticated")
    (phase,) = organiser.post(PATH, None).json()["phases"]
    assert phase["reveals_at"]
    refused(organiser.post(PATH, None), 409, "conflict")
    refused(organiser.post(PATH.replace("main", "final"), None), 404, "not_found")


def test_organisers_confirm_a_changed_end(
    sprint: Challenge, organiser: Api, submitter: Api
) -> None:
    path = PATH.replace("reveal", "confirm-end")
    now = timezone.now()
    refused(organiser.post(path, None), 409, "conflict")
    sprint.phases.update(closes_at=now, finals_wait_until=now + timedelta(minutes=9))
    refused(submitter.post(path, None), 403, "permission_denied")
    assert organiser.post(path, None).status_code == 200
    refused(organiser.post(path, None), 409, "conflict")
