"""One log line for each request, and the request id that other lines share."""

from __future__ import annotations

import logging
import re
import time
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory

from leaderboard.database import connections
from leaderboard.models import Attempt, Challenge, User
from leaderboard.monitoring.requests import RequestLogMiddleware
from tests.api.conftest import ME, Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    """A function that returns the fields of the request lines so far."""
    caplog.set_level(logging.DEBUG)

    def read(level: int = logging.INFO) -> list[dict[str, Any]]:
        names = ("method", "path", "status", "ms", "user", "request_id")
        return [
            {name: getattr(record, name) for name in names}
            for record in caplog.records
            if record.msg == "request" and record.levelno >= level
        ]

    return read


def test_a_line_has_the_user_the_request_and_the_status(
    lines: Any, submitter: Api, sprint: Challenge
) -> None:
    sent = submitter.post("challenges/sprint/attempts/", ME)
    [line] = lines()
    assert line["ms"] >= 0
    assert {**line, "ms": 0} == {
        "method": "POST",
        "path": "/api/v1/challenges/sprint/attempts/",
        "status": 202,
        "ms": 0,
        "user": User.objects.get(attempts__id=sent.json()["id"]).pk,
        "request_id": sent["X-Request-ID"],
    }


def test_a_line_has_neither_the_query_nor_an_anonymous_user(lines: Any, client: Client) -> None:
    client.get("/?q=somebody")
    client.get("/missing/")
    assert [(line["path"], line["status"], line["user"]) for line in lines()] == [
        ("/", 200, None),
        ("/missing/", 404, None),
    ]


def test_requests_of_machines_are_logged_at_level_debug(lines: Any, client: Client) -> None:
    assert finders.find("pages/pages.css")
    for path in ("/healthz", "/readyz"):
        client.get(path)
    assert client.get("/static/pages/pages.css").getvalue()
    assert lines() == []
    assert len(lines(logging.DEBUG)) == 3


@pytest.mark.parametrize(("proxies", "taken"), [(0, False), (1, True)])
def test_a_trusted_proxy_may_set_the_request_id(
    settings: Any, lines: Any, client: Client, proxies: int, taken: bool
) -> None:
    settings.TRUSTED_PROXIES = proxies
    answer = client.get("/", headers={"X-Request-ID": "from-the-proxy.1"})
    assert (answer["X-Request-ID"] == "from-the-proxy.1") is taken
    assert lines()[0]["request_id"] == answer["X-Request-ID"]
    assert re.fullmatch(
        "[0-9a-f]{16}", client.get("/", headers={"X-Request-ID": "a b\n"})["X-Request-ID"]
    )


def test_a_streamed_answer_is_logged_after_it_was_sent(lines: Any) -> None:
    def view(request: HttpRequest) -> StreamingHttpResponse:
        return StreamingHttpResponse(iter([b"a", b"b"]))

    answer = RequestLogMiddleware(view)(RequestFactory().get("/export"))
    assert lines() == []
    answer.close()
    assert [line["path"] for line in lines()] == ["/export"]


def test_logging_does_not_query_the_user(lines: Any, client: Client, alice: User) -> None:
    client.force_login(alice)
    asked = client.get("/healthz")
    assert asked.status_code == 200
    assert lines(logging.DEBUG)[-1]["user"] is None
    client.get("/account/")
    assert lines()[-1]["user"] == alice.pk


def test_lines_of_a_request_have_its_id() -> None:
    from structlog.contextvars import get_contextvars

    request_ids: list[Any] = []

    def view(request: HttpRequest) -> HttpResponse:
        request_ids.append(get_contextvars()["request_id"])
        return HttpResponse()

    answer = RequestLogMiddleware(view)(RequestFactory().get("/"))
    assert request_ids == [answer["X-Request-ID"]]
    assert "request_id" not in get_contextvars()


def test_a_slow_statement_is_logged_without_its_parameters(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    with connection.execute_wrapper(connections.log_slow):
        Attempt.objects.filter(note="hunter2").exists()
    slow = [record for record in caplog.records if record.msg == "slow query"]
    assert slow
    assert {record.levelname for record in slow} == {"WARNING"}
    assert slow[0].ms == 1000  # type: ignore[attr-defined]
    assert "leaderboard_attempt" in slow[0].sql  # type: ignore[attr-defined]
    assert "hunter2" not in str([record.__dict__ for record in slow])


def test_every_connection_is_watched_for_slow_statements() -> None:
    connection.ensure_connection()
    assert connection.execute_wrappers.count(connections.log_slow) == 1


def test_a_quick_statement_is_not_logged(caplog: pytest.LogCaptureFixture, settings: Any) -> None:
    settings.SLOW_QUERY_MS = 3_600_000
    Attempt.objects.exists()
    assert not [record for record in caplog.records if record.msg == "slow query"]
