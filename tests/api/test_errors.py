"""Every error under `/api/` has one form; throttles say how long to wait."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import InterfaceError, OperationalError
from rest_framework.settings import api_settings

from leaderboard.api.errors import exception_handler
from leaderboard.models import Challenge
from leaderboard.services.board import ranking
from leaderboard.services.errors import ServiceError
from tests.api.conftest import ME, Api, refused

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path", ["/api/", "/api/v1/", "/api/v2/challenges/", "/api/v1/challenges", "/api/v1/x/y/z"]
)
@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "options"])
def test_an_unknown_path_is_not_found(anyone: Api, path: str, method: str) -> None:
    refused(anyone.send(method, path, b"{}"), 404, "not_found")


def lacks_method(answer: Any) -> None:
    refused(answer, 405, "invalid")
    assert "GET" in answer["Allow"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("put", "challenges/sprint/"),
        ("patch", "challenges/"),
        ("post", "challenges/sprint/leaderboard/"),
        ("delete", "challenges/sprint/attempts/"),
        ("post", "plugins/"),
    ],
)
def test_an_unsupported_method_is_refused(
    organiser: Api, sprint: Challenge, method: str, path: str
) -> None:
    lacks_method(organiser.send(method, path, b"{}"))


@pytest.mark.parametrize("method", ["trace", "put", "link"])
@pytest.mark.parametrize("path", ["challenges/", "challenges/sprint/leaderboard/", "plugins/"])
def test_an_unsupported_method_is_refused_before_the_user_is_known(
    anyone: Api, sprint: Challenge, method: str, path: str
) -> None:
    """401 would promise that a token helps."""
    answer = anyone.send(method, path, b"")
    lacks_method(answer)
    assert "WWW-Authenticate" not in answer


def test_a_supported_method_still_needs_a_token(anyone: Api, sprint: Challenge) -> None:
    refused(anyone.send("patch", "challenges/sprint/", b"{}"), 401, "not_authenticated")


def test_another_format_is_not_acceptable(anyone: Api, sprint: Challenge) -> None:
    refused(anyone.get("challenges/", Accept="application/xml"), 406, "invalid")
    refused(anyone.get("challenges/?format=xml"), 400, "invalid", "format")
    assert anyone.get("challenges/", Accept="text/html, */*;q=0.1").status_code == 200


def test_an_internal_error(anyone: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret/path.py")

    monkeypatch.setattr(ranking, "page_after", fails)
    answer = anyone.get("challenges/sprint/leaderboard/")
    refused(answer, 500, "unavailable")
    assert b"secret" not in answer.content


def test_an_unavailable_database(
    anyone: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise OperationalError("could not connect to 10.0.0.5")

    monkeypatch.setattr(ranking, "page_after", fails)
    answer = anyone.get("challenges/sprint/leaderboard/")
    refused(answer, 503, "unavailable")
    assert answer["Retry-After"] == "10"
    assert b"10.0.0.5" not in answer.content


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OSError(errno.ENOSPC, "No space"), 507, "disk_full"),
        (InterfaceError("the connection is closed"), 503, "unavailable"),
    ],
)
def test_a_missing_part_of_the_server_has_an_error_code(
    anyone: Api,
    sprint: Challenge,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    code: str,
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(ranking, "page_after", fails)
    answer = anyone.get("challenges/sprint/leaderboard/")
    refused(answer, status, code)


def test_an_unknown_host_is_refused(anyone: Api, sprint: Challenge) -> None:
    refused(anyone.get("challenges/?limit=1", Host="evil.example"), 400, "invalid")


class TestThrottle:
    @pytest.fixture(autouse=True)
    def rates(self, monkeypatch: pytest.MonkeyPatch) -> None:
        cache.clear()
        rates = {"read": "3/day", "submit": "2/day"}
        monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", rates)

    def test_reads_are_throttled_by_address(self, anyone: Api, sprint: Challenge) -> None:
        for _ in range(3):
            assert anyone.get("challenges/").status_code == 200
        answer = anyone.get("challenges/sprint/leaderboard/")
        refused(answer, 429, "throttled")
        assert 1 <= int(answer["Retry-After"]) <= 86400

    def test_each_token_is_throttled_separately(
        self, anyone: Api, submitter: Api, organiser: Api, sprint: Challenge
    ) -> None:
        for api in (anyone, submitter, organiser):
            codes = [api.get("challenges/").status_code for _ in range(4)]
            assert codes == [200, 200, 200, 429]

    def test_a_bulk_counts_as_one_request(self, submitter: Api, sprint: Challenge) -> None:
        for _ in range(2):
            answer = submitter.lines("challenges/sprint/attempts/bulk/", *[ME] * 20)
            assert answer.json()["accepted"] == 20
        refused(submitter.post("challenges/sprint/attempts/", ME), 429, "throttled")
        assert submitter.get("challenges/").status_code == 200

    def test_each_attempt_of_a_bulk_counts(
        self, submitter: Api, organiser: Api, sprint: Challenge, settings: Any
    ) -> None:
        settings.THROTTLE_BULK = "30/day"
        bulk = "challenges/sprint/attempts/bulk/"
        assert submitter.lines(bulk, *[ME] * 20).json()["accepted"] == 20
        answer = submitter.lines(bulk, *[ME] * 20)
        refused(answer, 429, "throttled")
        assert 1 <= int(answer["Retry-After"]) <= 86400
        assert sprint.attempts.count() == 20
        other = {**ME, "participant": "organised"}
        assert organiser.lines(bulk, *[other] * 40).json()["accepted"] == 40

    def test_a_bulk_larger_than_the_limit_is_refused_permanently(
        self, submitter: Api, sprint: Challenge, settings: Any
    ) -> None:
        settings.THROTTLE_BULK = "10/min"
        answer = submitter.lines("challenges/sprint/attempts/bulk/", *[ME] * 11)
        error = refused(answer, 413, "too_large")
        assert "At most 10/min" in error["message"]

    def test_wrong_tokens_are_counted(self, sprint: Challenge, settings: Any) -> None:
        settings.THROTTLE_READ = "2/day"
        wrong = Api("pod_nonsense")
        codes = [wrong.get("challenges/").status_code for _ in range(4)]
        assert codes == [401, 401, 429, 429]
        assert "Retry-After" in wrong.get("challenges/")

    def test_throttles_can_be_turned_off(
        self, anyone: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rates = {"read": None, "submit": None}
        monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", rates)
        assert {anyone.get("challenges/").status_code for _ in range(5)} == {200}


def test_too_many_waiting_attempts_are_refused(
    submitter: Api, sprint: Challenge, settings: Any
) -> None:
    settings.MAX_WAITING = 1
    assert submitter.post("challenges/sprint/attempts/", ME).status_code == 202
    answer = submitter.post("challenges/sprint/attempts/", ME)
    error = refused(answer, 429, "throttled")
    assert error["message"].startswith("At most 1 attempts of a participant may wait")
    assert answer["Retry-After"] == "60"
    bulk = "challenges/sprint/attempts/bulk/"
    refused(submitter.lines(bulk, ME), 429, "throttled")
    other = {**ME, "participant": "boreas"}
    refused(submitter.lines(f"{bulk}?atomic=1", other, ME), 429, "throttled")
    for query in ("?atomic=1", ""):
        body = submitter.lines(f"{bulk}{query}", ME, b"{", other).json()
        rejected = [(each["line"], each["error"]["code"]) for each in body["rejected"]]
        assert rejected == [(1, "throttled"), (2, "invalid")]
        assert body["accepted"] == (0 if query else 1)


def test_the_rates_come_from_the_settings() -> None:
    assert settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] == {
        "submit": settings.THROTTLE_SUBMIT,
        "read": settings.THROTTLE_READ,
    }


SLUG = "must be lower-case letters, digits and single hyphens, at most 80"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"visibility": "secret"}, 'must be public, unlisted or private; got "secret"'),
        ({"on_code_change": True}, "must be warn, hold or rescore; got true"),
        ({"min_coverage": 1.5}, "must be a number above 0, at most 1, or null; got 1.5"),
        ({"timeout_ms": 0}, "must be a whole number from 1 to 600000; got 0"),
        ({"slug": ""}, f'{SLUG}; got ""'),
        ({"slug": "a" * 81}, f"{SLUG}; got 81 characters"),
    ],
)
def test_the_error_for_a_wrong_field_names_what_is_accepted_and_what_was_sent(
    organiser: Api, fields: dict[str, Any], message: str
) -> None:
    body = {"name": "Sprint", "scoring_strategy": "fastest", **fields}
    answer = organiser.post("challenges/", body)
    (field,) = fields
    refused(answer, 400, "invalid", field)
    assert answer.json()["error"]["fields"] == {field: [message]}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("challenges/sprint/leaderboard.csv?for=word", 'for: must be excel; got "word"'),
        ("challenges/?state=open", 'state: must be active or closed; got "open"'),
        (
            "challenges/sprint/leaderboard/?participant_kind=robot",
            'participant_kind: must be system, person or team; got "robot"',
        ),
        (
            "challenges/sprint/leaderboard/?meta=%7B%22size%22:1%7D",
            'meta: must be absent, because there are no fields here; got "size"',
        ),
    ],
)
def test_the_error_for_a_wrong_parameter_names_what_is_accepted(
    anyone: Api, sprint: Challenge, path: str, said: str
) -> None:
    assert anyone.get(path).json()["error"]["message"] == said


@pytest.mark.parametrize(
    ("header", "got"), [("Bearer", "no token"), ("bearer pod_1 pod_2", "a token with spaces")]
)
def test_the_error_for_a_malformed_token_repeats_no_token(
    anyone: Api, header: str, got: str
) -> None:
    answer = anyone.client.get("/api/v1/challenges/", headers={"Authorization": header})
    error = refused(answer, 401, "not_authenticated")
    assert error["message"] == f"Authorization: must be Bearer and a token; got {got}"


def test_an_error_for_an_unavailable_part_says_when_to_retry() -> None:
    answer = exception_handler(ServiceError("unavailable", "Scripts cannot be prepared now."), {})
    assert answer is not None
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
