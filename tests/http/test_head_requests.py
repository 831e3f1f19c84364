"""Servers answer HEAD without a body."""

from __future__ import annotations

import socket
from threading import Thread
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler

from leaderboard.http.head_requests import without_bodies
from leaderboard.management import embedded

TWO = (
    b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
)


def test_the_next_answer_directly_follows_the_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "get_wsgi_application", lambda: WSGIHandler())
    server = embedded.bind("127.0.0.1", 0)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    try:
        with socket.create_connection((server.effective_host, server.effective_port)) as asked:
            asked.sendall(TWO)
            answer = b"".join(iter(lambda: asked.recv(65536), b""))
    finally:
        server.close()
        thread.join(10)
    head, gap, rest = answer.partition(b"\r\n\r\n")
    assert b"Content-Length: 16" in head
    assert gap
    assert rest.startswith(b"HTTP/1.1 200 OK\r\n")
    assert rest.endswith(b'{"status": "ok"}')


def test_a_head_request_gets_no_body() -> None:
    closed = []

    class Body(list[bytes]):
        def close(self) -> None:
            closed.append(1)

    def page(environ: Any, start_response: Any) -> Body:
        return Body([b"text"])

    served = without_bodies(page)
    assert list(served({"REQUEST_METHOD": "HEAD"}, None)) == []  # type: ignore[arg-type]
    assert closed == [1]
    assert list(served({"REQUEST_METHOD": "GET"}, None)) == [b"text"]  # type: ignore[arg-type]
    assert closed == [1], "the server closes it"
