"""The threads of the server that runs in one process."""

from __future__ import annotations

import io
import socket
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from leaderboard.management import embedded
from leaderboard.management.commands import up
from tests.management.test_upgrade_from_0062 import INITIAL

pytestmark = pytest.mark.once


def test_a_worker_that_ends_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_server_listens_before_it_answers() -> None:
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


def test_an_invalid_host_is_refused() -> None:
    with pytest.raises(CommandError, match=r"cannot listen on nowhere\.invalid:8000: "):
        embedded.bind("nowhere.invalid", 8000)


def test_any_status_counts_as_an_answer() -> None:
    """ALLOWED_HOSTS may not contain the address; then the answer is a 400."""
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


@pytest.mark.django_db
def test_migrations_run_until_the_squashed_one_is_recorded() -> None:
    assert not up._has_migrations_to_apply()
    MigrationRecorder(connection).record_unapplied(*INITIAL)
    assert up._has_migrations_to_apply()


def test_the_box_is_below_the_lines_of_attempts_that_waited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The demo's first start writes hundreds of them."""
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    waiting = [True, True, False]
    lines = iter(["attempt ended\n", "attempt ended\n"])
    attempts = SimpleNamespace(unfinished=lambda: SimpleNamespace(exists=lambda: waiting.pop(0)))
    monkeypatch.setattr(up, "Attempt", SimpleNamespace(objects=attempts))
    clock = SimpleNamespace(monotonic=float, sleep=lambda seconds: terminal.write(next(lines)))
    monkeypatch.setattr(up, "time", clock)
    command = up.Command(stdout=terminal)
    command._show("the box")
    assert terminal.getvalue().split("\n") == [
        *("the box", "attempt ended", "attempt ended", "the box", ""),
    ]
    waiting.append(False)
    command._show("the box")
    assert terminal.getvalue().endswith("the box\nthe box\n")
