"""Every way to submit counts a request from its arrival, not from when a thread takes it up."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.http.arrivals import KEY, Arrival
from leaderboard.models import Attempt, Challenge, Phase, User
from leaderboard.services.competition.clock import received_now
from tests.api.conftest import ME, Api

CLOSED_FOR = 60
AT = "/api/v1/challenges/sprint"
CSV = b"participant,succeeded\natlas,true\n"


@pytest.fixture
def end(sprint: Challenge) -> float:
    """The moment a minute ago at which the only phase closed, by the monotonic clock."""
    Phase.objects.update(closes_at=received_now() - timedelta(seconds=CLOSED_FOR))
    return monotonic() - CLOSED_FOR


def send(door: str, api: Api, page: Client, arrival: Arrival) -> Any:
    arrived: Any = {KEY: arrival}
    if door == "file by api":
        file = SimpleUploadedFile("a.csv", CSV)
        return api.client.post(f"{AT}/imports/", {"file": file}, headers=api.headers, **arrived)
    if door == "form":
        fields = {"participant": "atlas", "succeeded": "yes", "elapsed_ms": "1500"}
        return page.post("/c/sprint/submit/", fields, **arrived)
    if door == "file":
        address, file = "/c/sprint/submit/file/", SimpleUploadedFile("a.csv", CSV)
        preview = page.post(address, {"file": file}, **arrived)
        kept = re.search(rb'name="kept" value="([^"]*)"', preview.content)
        fields = {"kept": kept[1].decode()} if kept else {}
        return page.post(address, fields, **arrived)
    path, kind = {
        "attempt": (f"{AT}/attempts/", "application/json"),
        "bulk": (f"{AT}/attempts/bulk/", "application/x-ndjson"),
    }[door]
    body = json.dumps(ME).encode()
    return api.client.generic("POST", path, body, kind, headers=api.headers, **arrived)


@pytest.mark.parametrize("door", ["attempt", "bulk", "file by api", "form", "file"])
def test_the_arrival_decides(
    door: str, end: float, submitter: Api, bob: User, client: Client
) -> None:
    """Of two requests that began nine seconds before the end, one arrived in time.

    The server took it up a minute later. The last byte of the other one came after the end.
    """
    client.force_login(bob)
    refused = send(door, submitter, client, Arrival(end - 9, end + 9))
    assert refused.status_code in (200, 403, 422), refused.content
    assert not Attempt.objects.exists()
    send(door, submitter, client, Arrival(end - 9, end - 1))
    attempt = Attempt.objects.get()
    assert attempt.phase is not None
    assert attempt.phase.closes_at is not None
    assert attempt.submitted_at < attempt.phase.closes_at
