"""Clients that open connections and send little or nothing do not block other clients."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from waitress.adjustments import Adjustments

from leaderboard.http.patience import HEADER_SECONDS, body_seconds
from leaderboard.management import slow_clients
from leaderboard.management.slow_clients import ImpatientChannel
from tests.embedded.server import Embedded

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
POST = b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nuser"


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("sent", [HALF, POST, b""], ids=["headers", "body", "nothing"])
def test_many_half_open_connections_do_not_block_others(tmp_path: Path, sent: bytes) -> None:
    server = Embedded(tmp_path)
    with server.up("--no-demo") as (_, site), ExitStack() as opened:
        for _ in range(110):
            connection = socket.create_connection(("127.0.0.1", site.port), timeout=30)
            opened.enter_context(connection)
            connection.sendall(sent)
        for path in ("/healthz", "/", "/api/v1/challenges/"):
            assert site.ask("GET", path).status == 200


@contextmanager
def channel(monkeypatch: pytest.MonkeyPatch, now: list[float]) -> Iterator[Any]:
    """Yield a channel of the server whose clock is `now`, without a server loop."""
    monkeypatch.setattr(slow_clients, "monotonic", lambda: now[0])
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ImpatientChannel(MagicMock(), ours, ("", 0), Adjustments(), map={})


@pytest.mark.once
@pytest.mark.parametrize(
    ("sent", "seconds"), [(HALF, HEADER_SECONDS), (POST, body_seconds(99))], ids=["headers", "body"]
)
def test_a_request_that_takes_too_long_to_arrive_is_closed(
    monkeypatch: pytest.MonkeyPatch, sent: bytes, seconds: float
) -> None:
    now = [100.0]
    with channel(monkeypatch, now) as client:
        client.received(sent)
        now[0] += seconds
        client.received(b"x")
        assert not client.writable()
        now[0] += 1
        assert client.writable()
        assert client.will_close


@pytest.mark.once
def test_a_complete_request_has_no_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    with channel(monkeypatch, now) as client:
        client.received(HALF)
        client.received(b"1\r\n\r\n")
        now[0] += 2 * HEADER_SECONDS
        assert not client.writable()
        assert not client.will_close


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.once
def test_a_request_that_the_server_refuses_has_a_line_in_the_log(tmp_path: Path) -> None:
    server = Embedded(tmp_path, LOG_LEVEL="info")
    large = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
    with server.up("--no-demo") as (_, site):
        for sent in (large, b"GET /secret two HTTP/1.1\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", site.port), timeout=30) as connection:
                connection.sendall(sent)
                assert connection.recv(4) == b"HTTP"
    lines = [line for line in server.errors.read_text().splitlines() if "request refused" in line]
    assert [json.loads(line)["status"] for line in lines] == [413, 400]
    assert not any("secret" in line for line in lines)
