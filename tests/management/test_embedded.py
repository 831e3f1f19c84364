"""The threads of the server in one process."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest
from celery import current_app
from django.core.management.base import CommandError

from leaderboard.management import embedded

pytestmark = pytest.mark.once


def test_a_worker_that_ends_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, started = threading.Event(), []

    class Ending:
        def __init__(self, **options: Any) -> None:
            assert options["pool"] == "solo"

        def start(self) -> None:
            started.append(self)
            if len(started) == 2:
                stop.set()

    monkeypatch.setattr(current_app, "WorkController", Ending)
    embedded._work(stop)
    assert len(started) == 2


def test_it_listens_before_it_answers() -> None:
    server = embedded.bind("127.0.0.1", 0)
    try:
        host, port = embedded._address(server)
        assert host == "127.0.0.1"
        with socket.create_connection((host, port), timeout=5):
            pass
        with pytest.raises(CommandError, match=rf"cannot listen on 127\.0\.0\.1:{port}: "):
            embedded.bind("127.0.0.1", port)
    finally:
        server.close()


def test_a_host_that_is_none() -> None:
    with pytest.raises(CommandError, match=r"cannot listen on nowhere\.invalid:8000: "):
        embedded.bind("nowhere.invalid", 8000)


def test_whatever_is_answered_is_an_answer() -> None:
    """ALLOWED_HOSTS may know another name only; then what comes is a 400."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def refuse() -> None:
            client, _ = listener.accept()
            with client:
                client.recv(4096)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

        threading.Thread(target=refuse, daemon=True).start()
        assert embedded._answers("127.0.0.1", port)
    assert not embedded._answers("127.0.0.1", port)
