"""The server of `up` answers HEAD without a body."""

from __future__ import annotations

import socket
from threading import Thread

import pytest
from django.core.handlers.wsgi import WSGIHandler

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
