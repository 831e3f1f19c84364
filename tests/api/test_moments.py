"""Times in requests have a time zone, and are before the year 10 000."""

from __future__ import annotations

import json

from django.test import Client

from leaderboard.models import Attempt, Challenge
from leaderboard.rules.texts.moments import LATEST_MS
from leaderboard.rules.texts.quoting import sent
from leaderboard.services.scoring import single
from tests.api.conftest import METRICS, Api, refused

PATH = "challenges/sprint/attempts/"
NAIVE = (
    "2024-02-29T12:00:00",
    "2024-02-29 12:00",
    "2024-02-29",
    "20240229T120000",
    "yesterday",
    "",
    "12:00:00Z",
    "10000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2024-02-30T12:00:00Z",
    1709208000,
    True,
    None,
    ["2024-02-29T12:00:00Z"],
)
OUT_OF_RANGE = (
    "1969-12-31T23:59:59Z",
    "1969-12-31T23:59:59.5+00:00",
    "2199-02-28T12:00:00Z",
    "9999-12-31T23:59:59Z",
)


def test_a_time_without_a_time_zone_is_refused(organiser: Api, sprint: Challenge) -> None:
    for naive in NAIVE:
        body = {"participant": "a", "metrics": METRICS, "submitted_at": naive}
        error = refused(organiser.post(PATH, body), 400, "invalid", "submitted_at")
        assert f"T08:00:00Z; got {sent(naive)}" in error["message"]
        (rejected,) = organiser.lines(f"{PATH}bulk/", body).json()["rejected"]
        assert rejected["error"]["fields"] == error["fields"]


def test_a_time_with_a_time_zone_is_accepted(organiser: Api, sprint: Challenge) -> None:
    for text in ("2024-02-29T12:00:00Z", "2024-02-29 14:00+02:00", "20240229T120000Z"):
        body = {"participant": "a", "metrics": METRICS, "submitted_at": text}
        answer = organiser.post(PATH, body)
        assert answer.json()["submitted_at"] == "2024-02-29T12:00:00Z"


def test_a_time_out_of_range_is_refused(organiser: Api, sprint: Challenge) -> None:
    for moment in OUT_OF_RANGE:
        body = {"participant": "a", "metrics": METRICS, "submitted_at": moment}
        error = refused(organiser.post(PATH, body), 400, "invalid", "submitted_at")
        assert f'1970 and now; got "{moment}"' in error["message"]


def test_a_start_after_the_year_9999_is_refused(submitter: Api, sprint: Challenge) -> None:
    for beyond in (LATEST_MS + 1, 10**15, 10**18, -1):
        body = {"participant": "a", "metrics": {**METRICS, "created_at": beyond}}
        error = refused(submitter.post(PATH, body), 400, "invalid", "metrics.created_at")
        assert "253402300799999" in error["message"]
        assert error["message"].endswith(f"; got {beyond}")
        line = json.dumps(body).encode()
        answer = submitter.upload("challenges/sprint/imports/", line, name="x.jsonl")
        assert "253402300799999" in refused(answer, 400, "invalid")["message"]


def test_the_last_time_of_the_year_9999_is_accepted(submitter: Api, sprint: Challenge) -> None:
    body = {"participant": "a", "metrics": {**METRICS, "created_at": LATEST_MS}}
    address = submitter.post(PATH, body).json()["url"]
    single.score_waiting()
    read = submitter.get(address).json()
    assert (read["status"], read["metrics"]["created_at"]) == ("scored", LATEST_MS)
    assert Client().get(read["html_url"]).status_code == 200


def test_stored_later_times_are_shown(submitter: Api, sprint: Challenge) -> None:
    """Older releases accepted a later `created_at`."""
    address = submitter.post(PATH, {"participant": "a", "metrics": METRICS}).json()["url"]
    Attempt.objects.update(reported_created_at=10**15)
    single.score_waiting()
    read = submitter.get(address).json()
    assert (read["status"], read["metrics"]["created_at"]) == ("scored", 10**15)
    for page in (read["html_url"], "/c/sprint/", "/c/sprint/p/a/"):
        assert Client().get(page).status_code == 200
