"""Organisers give a participant extra attempts through the API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import AuditEntry, Challenge, Grant, User
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.scoring import single
from tests.api.conftest import Api, refused

LIST = "challenges/sprint/grants/"
OUTAGE = {"participant": "atlas", "phase": "main", "extra": 2, "reason": "Outage"}


@pytest.fixture
def atlas(sprint: Challenge, alice: User, bob: User) -> None:
    """Bob takes part as Atlas, in a phase with one attempt in total."""
    register(sprint, bob, {"participant": "Atlas"})
    phase = {"slug": "main", "time_zone": "Etc/GMT+12", "total": 1}
    change_challenge(sprint, user=alice, fields={"phases": [phase]})
    AuditEntry.objects.all().delete()


@pytest.mark.usefixtures("atlas")
def test_granted_attempts_are_added_to_the_limits(organiser: Api, submitter: Api) -> None:
    body = {"participant": "Atlas", "metrics": {"succeeded": True}}
    attempts = "challenges/sprint/attempts/"
    assert submitter.post(attempts, body).status_code == 202
    assert submitter.post(attempts, body).json()["error"]["code"] == "quota"
    answer = organiser.post(LIST, {**OUTAGE, "until": "2100-01-01T00:00"})
    assert answer.status_code == 201
    made = answer.json()
    assert made["until"] == "2100-01-01T12:00:00Z"
    assert organiser.get(LIST).json() == {"results": [made]}
    assert submitter.post(attempts, body).status_code == 202
    assert organiser.delete(f"{LIST}{made['id']}/").status_code == 204
    refused(organiser.delete(f"{LIST}{made['id']}/"), 404, "not_found")
    assert submitter.post(attempts, body).json()["error"]["code"] == "quota"
    grant = {"extra": 2, "phase": "main", "reason": "Outage", "until": "2100-01-01T12:00:00Z"}
    log = AuditEntry.objects.filter(kind="grant").order_by("pk")
    assert [(entry.before, entry.after) for entry in log] == [(None, grant), (grant, None)]
    assert {entry.participant.slug for entry in log if entry.participant} == {"atlas"}


@pytest.mark.usefixtures("atlas")
def test_only_organisers_give_and_read_them(
    organiser: Api, submitter: Api, stranger: Api, anyone: Api
) -> None:
    address = f"{LIST}{organiser.post(LIST, OUTAGE).json()['id']}/"
    for api in (submitter, stranger):
        refused(api.get(LIST), 403, "permission_denied")
        refused(api.post(LIST, OUTAGE), 403, "permission_denied")
        refused(api.delete(address), 403, "permission_denied")
    refused(anyone.get(LIST), 403, "permission_denied")
    assert Grant.objects.count() == 1


@pytest.mark.usefixtures("atlas")
def test_wrong_fields_are_named(organiser: Api) -> None:
    changes: list[tuple[str, Any]] = [
        ("participant", "nobody"),
        ("phase", "final"),
        ("extra", 0),
        ("extra", "2"),
        ("reason", ""),
        ("until", "soon"),
        ("until", "2020-01-01T00:00:00Z"),
    ]
    for field, value in changes:
        error = refused(organiser.post(LIST, {**OUTAGE, field: value}), 400, "invalid")
        assert list(error["fields"]) == [field]
    assert not Grant.objects.exists()


@pytest.mark.usefixtures("atlas")
def test_one_participant_gets_more_time(organiser: Api, submitter: Api, sprint: Challenge) -> None:
    now = timezone.now()
    sprint.phases.update(closes_at=now)
    body = {"participant": "Atlas", "metrics": {"succeeded": True}}
    attempts = "challenges/sprint/attempts/"
    assert submitter.post(attempts, body).json()["error"]["code"] == "closed"
    until = (now + timedelta(days=1)).isoformat()
    assert organiser.post(LIST, {**OUTAGE, "extra": 0, "until": until}).status_code == 201
    (quota,) = submitter.get("challenges/sprint/quota/").json()["participants"]
    assert quota["agreed_until"].startswith(until[:10])
    made = submitter.post(attempts, body).json()
    assert made["late_by_agreement"] is True
    single.score_waiting()
    (row,) = submitter.get("challenges/sprint/leaderboard/").json()["rows"]
    assert row["late_by_agreement"] is True
    file = submitter.get("challenges/sprint/leaderboard.csv").getvalue().decode()
    header, line = file.splitlines()
    assert dict(zip(header.split(","), line.split(","), strict=True))["late_by_agreement"] == "true"


def test_extra_attempts_may_be_for_all(organiser: Api, sprint: Challenge) -> None:
    made = organiser.post(LIST, {**OUTAGE, "participant": None}).json()
    assert (made["participant"], made["extra"]) == (None, 2)
    assert AuditEntry.objects.get(kind="grant").after["for"] == "all"  # type: ignore[index]
