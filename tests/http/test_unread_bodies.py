"""gunicorn announces that it closes a connection after a large request that was refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import RequestFactory
from gunicorn.config import Config
from gunicorn.http.parser import _DRAIN_MAX_BYTES
from gunicorn.http.wsgi import Response

from leaderboard.http.unread_bodies import MOST_DRAINED, closing_after_refusals
from leaderboard.wsgi import application

PATH = "/api/v1/challenges/sprint/attempts/"


class Connection:
    """A client's connection that keeps what is sent to it."""

    def __init__(self) -> None:
        self.sent = b""

    def sendall(self, data: bytes) -> None:
        self.sent += data


def header(app: Any, **environ: str) -> str:
    """The header `Connection` of gunicorn's answer to a request."""
    connection = Connection()
    request = SimpleNamespace(version=(1, 1), method="POST", should_close=lambda: False)
    response = Response(request, connection, Config())
    asked = RequestFactory(headers={"host": "localhost"}).post(PATH).environ | environ
    body = app(asked, response.start_response)
    for piece in body:
        response.write(piece)
    response.close()
    body.close()
    (value,) = (
        line.removeprefix("Connection: ")
        for line in connection.sent.decode().split("\r\n")
        if line.startswith("Connection: ")
    )
    return value


@pytest.mark.django_db
def test_the_refusal_of_a_large_request_closes_the_connection() -> None:
    """Refused as the request has no token, so nothing of its body was read."""
    cases: list[tuple[dict[str, str], str]] = [
        ({"CONTENT_LENGTH": "100"}, "keep-alive"),
        ({"CONTENT_LENGTH": str(MOST_DRAINED)}, "keep-alive"),
        ({"CONTENT_LENGTH": str(MOST_DRAINED + 1)}, "close"),
        ({"CONTENT_LENGTH": "70000000"}, "close"),
        ({"HTTP_TRANSFER_ENCODING": "chunked"}, "close"),
    ]
    for sent, expected in cases:
        assert header(application, **sent) == expected, sent


class Body(list[bytes]):
    def close(self) -> None:
        """Do nothing, as WSGI allows."""


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("202 Accepted", "keep-alive"),
        ("413 Content Too Large", "close"),
        ("302 Found", "close"),
        ("500 Internal Server Error", "close"),
    ],
)
def test_a_large_request_that_was_answered_keeps_the_connection(status: str, expected: str) -> None:
    def page(environ: Any, start_response: Any) -> Body:
        start_response(status, [("Content-Length", "4")])
        return Body([b"text"])

    assert header(closing_after_refusals(page), CONTENT_LENGTH="70000000") == expected


def test_another_server_gets_the_answer_as_it_is() -> None:
    def page(environ: Any, start_response: Any) -> Body:
        start_response("413 Content Too Large", [])
        return Body([b"text"])

    started: list[str] = []
    served = closing_after_refusals(page)
    environ = {"CONTENT_LENGTH": "70000000"}
    body = served(environ, lambda status, headers: started.append(status))  # type: ignore[arg-type]
    assert (list(body), started) == ([b"text"], ["413 Content Too Large"])


def test_the_limit_is_that_of_gunicorn() -> None:
    assert MOST_DRAINED == _DRAIN_MAX_BYTES
