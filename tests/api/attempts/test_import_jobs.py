"""Large files through the API and the page: a job that is read by its user alone."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Attempt, Challenge, ImportJob, User
from leaderboard.services.imports import jobs
from tests.api.conftest import Api, refused

ROWS = 12
AT = "/api/v1/challenges/sprint/imports/"
PAGE = "/c/sprint/submit/file/"


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_AT_ONCE", 10)


TABLE = "\n".join(["participant,elapsed_ms,succeeded", *(f"m{at},{at},true" for at in range(ROWS))])


def send(api: Api, path: str) -> Any:
    return api.upload(path, TABLE.encode(), "a.csv")


def test_the_api_answers_with_a_job(
    sprint: Challenge,
    submitter: Api,
    organiser: Api,
    anyone: Api,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "ROWS_KEPT", 5)
    answer = send(submitter, AT)
    assert answer.status_code == 202
    body = answer.json()
    assert (body["state"], body["dry_run"], answer["Location"]) == ("waiting", False, body["url"])
    jobs.work_on(body["id"])
    done = submitter.get(body["url"]).json()
    assert (done["state"], done["attempts"], done["result"]["attempts"]) == ("done", ROWS, ROWS)
    assert {*done["result"]["ids"]} == {
        str(pk) for pk in Attempt.objects.values_list("pk", flat=True)
    }
    for other in (organiser, anyone):
        assert other.get(body["url"]).status_code == 404
    refused(send(submitter, f"{AT}?show_columns=1"), 403, "permission_denied")


def test_the_page_previews_and_imports(sprint: Challenge, bob: User, client: Client) -> None:
    client.force_login(bob)
    address = client.post(PAGE, {"file": SimpleUploadedFile("a.csv", TABLE.encode())}).headers[
        "Location"
    ]
    assert address == f"{PAGE}{ImportJob.objects.get().pk}/"
    assert b"every 2s" in client.get(address).content
    jobs.work_on(ImportJob.objects.get().pk)
    preview = client.get(address).content.decode()
    assert "m0" in preview
    assert "every 2s" not in preview
    assert client.post(address).headers["Location"] == address
    jobs.work_on(ImportJob.objects.get().pk)
    assert client.get(address).status_code == 200
    assert Attempt.objects.count() == ROWS
    client.logout()
    assert client.get(address).status_code == 302


def test_a_preview_has_the_verdicts_and_counts_for_the_throttle(
    sprint: Challenge, submitter: Api, organiser: Api, bob: User, client: Client, settings: Any
) -> None:
    rules = {"rules": [{"rule": "declared", "fields": ["license"]}]}
    put = organiser.put("challenges/sprint/admission/", rules)
    assert put.status_code == 200, put.content
    settings.THROTTLE_BULK = f"{ROWS}/min"
    body = send(submitter, f"{AT}?dry_run=1").json()
    refused(send(submitter, f"{AT}?dry_run=1"), 429, "throttled")
    jobs.work_on(body["id"])
    result = submitter.get(body["url"]).json()["result"]
    assert result["verdicts"] == {"refused": ROWS}
    assert result["rows"][0]["verdict"] == "refused"
    assert [finding["rule"] for finding in result["rows"][0]["findings"]] == ["declared"]
    client.force_login(bob)
    page = client.get(f"{PAGE}{body['id']}/").content.decode()
    assert f"Does not meet the rules of admission: <strong>{ROWS}</strong>" in page
    assert page.count("Does not meet the rules of admission") == ROWS + 1
    assert not Attempt.objects.exists()
