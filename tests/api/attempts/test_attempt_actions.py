"""Attempts are cancelled, withdrawn, restored and retried through the API."""

from __future__ import annotations

from typing import Any

from leaderboard.models import Challenge, User
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.conftest import ME, METRICS, Api, refused

SPRINT = "challenges/sprint/attempts/"


def submitted(api: Api) -> Any:
    return api.post(SPRINT, ME).json()


def test_a_participant_cancels_a_waiting_attempt(sprint: Challenge, submitter: Api) -> None:
    url = submitted(submitter)["url"]
    answer = submitter.post(f"{url}cancel/", {"reason": "the wrong file"})
    assert answer.status_code == 200, answer.content
    attempt = answer.json()
    assert attempt["status"] == "failed"
    assert attempt["error"]["code"] == "cancelled"
    assert attempt["withdrawn"]["reason"] == "the wrong file"
    assert submitter.get(url).json()["withdrawn"] == attempt["withdrawn"]
    refused(submitter.post(f"{url}cancel/", {}), 409, "conflict")


def test_a_participant_withdraws_a_scored_attempt(
    sprint: Challenge, submitter: Api, organiser: Api
) -> None:
    url = submitted(submitter)["url"]
    refused(submitter.post(f"{url}withdraw/", {}), 409, "conflict")
    single.score_waiting()
    assert submitter.post(f"{url}withdraw/", {}).json()["withdrawn"]["reason"] == ""
    refused(submitter.post(f"{url}restore/"), 403, "permission_denied")
    assert organiser.post(f"{url}restore/").json()["withdrawn"] is None


def test_an_organiser_withdraws_with_a_reason_and_retries(
    sprint: Challenge, submitter: Api, organiser: Api
) -> None:
    url = submitted(submitter)["url"]
    refused(organiser.post(f"{url}withdraw/", {}), 400, "invalid", "reason")
    refused(organiser.post(f"{url}withdraw/", {"reason": "x" * 301}), 400, "invalid", "reason")
    refused(organiser.post(f"{url}withdraw/", {"why": "copied"}), 400, "invalid", "why")
    assert organiser.post(f"{url}withdraw/", {"reason": "copied"}).status_code == 200
    assert organiser.post(f"{url}restore/").status_code == 200
    organiser.post(f"{url}cancel/", {})
    organiser.post(f"{url}restore/")
    answer = organiser.post(f"{url}retry/")
    assert (answer.status_code, answer.json()["status"]) == (202, "queued")


def test_others_and_tokens_for_reading_change_no_attempt(
    sprint: Challenge, submitter: Api, stranger: Api, anyone: Api, bob: User
) -> None:
    url = submitted(submitter)["url"]
    reading = Api(create_token(user=bob, scopes=["read"])[1])
    for action in ("cancel", "withdraw", "restore", "retry"):
        refused(anyone.post(f"{url}{action}/", {}), 401, "not_authenticated")
        refused(stranger.post(f"{url}{action}/", {}), 403, "permission_denied")
        refused(reading.post(f"{url}{action}/", {}), 403, "permission_denied")


def test_an_invisible_attempt_is_not_found(
    secret: Challenge, organiser: Api, submitter: Api
) -> None:
    body = {"participant": "atlas", "metrics": METRICS}
    url = organiser.post("challenges/secret/attempts/", body).json()["url"]
    refused(submitter.post(f"{url}cancel/", {}), 404, "not_found")
