"""Under gunicorn too, clients that send slowly hold no threads, and bodies may come in chunks."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.embedded.server import Embedded
from tests.embedded.test_slow_clients import HALF, POST
from tests.helpers.forked import started_by_fork
from tests.processes import Site, eventually, running
from tests.servers import free_port

CHUNKED = b"POST /theme/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n\r\na\r\ntheme=dark\r\n0\r\n\r\n"


def answers(site: Site) -> bool:
    try:
        return site.ask("GET", "/healthz").status == 200
    except OSError:
        return False


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.once
def test_slow_clients_hold_no_threads_of_gunicorn(tmp_path: Path) -> None:
    server = Embedded(tmp_path)
    site = Site(free_port())
    more = {"PORT": str(site.port), "HOST": "127.0.0.1", "WEB_CONCURRENCY": "1"}
    command = ["gunicorn", "leaderboard.wsgi"]
    with (
        running(
            command,
            server.environment | more,
            server.output,
            errors=server.errors,
            start=started_by_fork,
        ),
        ExitStack() as opened,
    ):
        eventually(lambda: answers(site))
        address = ("127.0.0.1", site.port)
        for sent in (HALF, POST, b"", CHUNKED + b"\r\n5\r\nab") * 10:
            slow = opened.enter_context(socket.create_connection(address, timeout=60))
            slow.sendall(sent)
        for path in ("/healthz", "/", "/api/v1/challenges/"):
            assert site.ask("GET", path).status == 200
        with socket.create_connection(address, timeout=60) as chunked:
            chunked.sendall(CHUNKED + FORM)
            assert b"302 Found" in chunked.recv(4096)
        assert slow.recv(1) == b""  # a small form that does not arrive is closed
