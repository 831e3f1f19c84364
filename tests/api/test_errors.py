"""Every error under `/api/` has one form; throttles say how long to wait."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import InterfaceError, OperationalError
from rest_framework.settings import api_settings

from leaderboard.api.errors import exception_handler
from leaderboard.models import Challenge
from leaderboard.services.board.reading import ranking
from leaderboard.services.errors import ServiceError
from tests.api.conftest import ME, Api, refused

pytestmark = pytest.mark.django_db


def test_an_unknown_path_is_not_found(anyone: Api) -> None:
    for path in ("", "v1/", "v2/challenges/", "v1/challenges", "v1/x/y/z"):
        for method in ("get", "post", "put", "delete", "options"):
            refused(anyone.send(method, f"/api/{path}", b"{}"), 404, "not_found")


def lacks_method(answer: Any) -> None:
    refused(answer, 405, "invalid")
    assert "GET" in answer["Allow"]


def test_an_unsupported_method_is_refused(organiser: Api, sprint: Challenge) -> None:
    for method, path in (
        ("put", "challenges/sprint/"),
        ("patch", "challenges/"),
        ("post", "challenges/sprint/leaderboard/"),
        ("delete", "challenges/sprint/attempts/"),
        ("post", "plugins/"),
    ):
        lacks_method(organiser.send(method, path, b"{}"))


def test_an_unsupported_method_is_refused_before_the_user_is_known(
    anyone: Api, sprint: Challenge
) -> None:
    """401 would promise that a token helps."""
    for path in ("challenges/", "challenges/sprint/leaderboard/", "plugins/"):
        for method in ("trace", "put", "link"):
            answer = anyone.send(method, path, b"")
            lacks_method(answer)
            assert "WWW-Authenticate" not in answer


def test_a_supported_method_still_needs_a_token(anyone: Api, sprint: Challenge) -> None:
    refused(anyone.send("patch", "challenges/sprint/", b"{}"), 401, "not_authenticated")


def test_another_format_is_not_acceptable(anyone: Api, sprint: Challenge) -> None:
    refused(anyone.get("challenges/", Accept="application/xml"), 406, "invalid")
    refused(anyone.get("challenges/?format=xml"), 400, "invalid", "format")
    assert anyone.get("challenges/", Accept="text/html, */*;q=0.1").status_code == 200


def failing(error: Exception) -> Callable[..., None]:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    return fails


@pytest.mark.parametrize(
    ("error", "status", "code", "retry"),
    [
        (RuntimeError("secret/path.py"), 500, "unavailable", None),
        (OperationalError("could not connect to secret"), 503, "unavailable", "10"),
        (InterfaceError("the connection is closed"), 503, "unavailable", "10"),
        (OSError(errno.ENOSPC, "No space"), 507, "disk_full", None),
    ],
)
def test_an_error_of_the_server_has_a_code_and_reveals_nothing(
    anyone: Api,
    sprint: Challenge,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    code: str,
    retry: str | None,
) -> None:
    monkeypatch.setattr(ranking, "page_after", failing(error))
    answer = anyone.get("challenges/sprint/leaderboard/")
    refused(answer, status, code)
    if retry:
        assert answer["Retry-After"] == retry
    assert b"secret" not in answer.content


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

    def test_the_bytes_of_a_user_are_limited(
        self, submitter: Api, organiser: Api, sprint: Challenge, settings: Any
    ) -> None:
        settings.THROTTLE_MIB = "1/day"
        large = {**ME, "note": "x" * 4000, "meta": {"text": "y" * 700_000}}
        path = "challenges/sprint/attempts/"
        codes = [api.post(path, large).status_code for api in (submitter,) * 2 + (organiser,) * 2]
        assert codes[1] == 429
        assert 429 not in (codes[0], *codes[2:])

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

    def test_what_costs_much_is_limited_though_it_keeps_nothing(
        self, submitter: Api, sprint: Challenge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rates = {"read": "600/day", "submit": "600/day"}
        monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", rates)
        seconds = iter([0.0, 1000.0])
        monkeypatch.setattr("leaderboard.pages.site.limits.thread_time", lambda: 0.0)
        monkeypatch.setattr(
            "leaderboard.pages.site.limits.seconds_elsewhere", lambda: next(seconds, 1000.0)
        )
        attempts = "challenges/sprint/attempts/"
        assert submitter.post(f"{attempts}?dry_run=1", ME).status_code == 200
        for path in (f"{attempts}?dry_run=1", "challenges/sprint/gate/?baseline=nobody"):
            refused(submitter.post(path, ME), 429, "throttled")
        assert submitter.post(attempts, ME).status_code == 202

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
    assert "At most 1 " in error["message"]
    assert answer["Retry-After"] == "60"
    bulk = "challenges/sprint/attempts/bulk/"
    refused(submitter.lines(bulk, ME), 429, "throttled")
    other = {**ME, "participant": "boreas"}
    refused(submitter.lines(f"{bulk}?atomic=1", other, ME), 429, "throttled")
    for query in ("?atomic=1", ""):
        body = submitter.lines(f"{bulk}{query}", ME, b"{", other).json()
        rejected = [
            (rejection["line"], rejection["error"]["code"]) for rejection in body["rejected"]
        ]
        assert rejected == [(1, "throttled"), (2, "invalid")]
        assert body["accepted"] == (0 if query else 1)


def test_the_rates_come_from_the_settings() -> None:
    assert settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] == {
        "submit": settings.THROTTLE_SUBMIT,
        "read": settings.THROTTLE_READ,
    }


def test_the_error_for_a_wrong_field_names_what_is_accepted_and_what_was_sent(
    organiser: Api,
) -> None:
    for field, value, ending in (
        ("visibility", "secret", 'public, unlisted or private; got "secret"'),
        ("on_code_change", True, "warn, hold or rescore; got true"),
        ("min_coverage", 1.5, "above 0, at most 1, or null; got 1.5"),
        ("timeout_ms", 0, "from 1 to 600000; got 0"),
        ("slug", "", 'at most 80; got ""'),
        ("slug", "a" * 81, "at most 80; got 81 characters"),
    ):
        body = {"name": "Sprint", "scoring_strategy": "fastest", field: value}
        error = refused(organiser.post("challenges/", body), 400, "invalid", field)
        (text,) = error["fields"][field]
        assert list(error["fields"]) == [field]
        assert text.startswith("must be ")
        assert text.endswith(ending)


def test_the_error_for_a_wrong_parameter_names_what_is_accepted(
    anyone: Api, sprint: Challenge
) -> None:
    for path, name, ending in (
        ("sprint/leaderboard.csv?for=word", "for", 'excel; got "word"'),
        ("?state=open", "state", 'active or closed; got "open"'),
        (
            "sprint/leaderboard/?participant_kind=robot",
            "participant_kind",
            'system, person or team; got "robot"',
        ),
        ("sprint/leaderboard/?meta=%7B%22size%22:1%7D", "meta", 'no fields here; got "size"'),
    ):
        error = refused(anyone.get(f"challenges/{path}"), 400, "invalid", name)
        assert error["message"].startswith(f"{name}: must be ")
        assert error["message"].endswith(ending)


@pytest.mark.parametrize(
    ("header", "got"), [("Bearer", "no token"), ("bearer pod_1 pod_2", "a token with spaces")]
)
def test_the_error_for_a_malformed_token_repeats_no_token(
    anyone: Api, header: str, got: str
) -> None:
    answer = anyone.client.get("/api/v1/challenges/", headers={"Authorization": header})
    error = refused(answer, 401, "not_authenticated")
    assert error["message"].endswith(f"; got {got}")


def test_an_error_for_an_unavailable_part_says_when_to_retry() -> None:
    answer = exception_handler(ServiceError("unavailable", "Scripts cannot be prepared now."), {})
    assert answer is not None
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
