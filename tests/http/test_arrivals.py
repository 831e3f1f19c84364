"""The moment of a request is when its bytes arrived, whatever the server was doing then."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.http import arrivals
from leaderboard.http.arrivals import HEADER, KEY, Arrival, moment_of, receive, stamp_arrivals
from tests.processes import eventually


@pytest.mark.parametrize(
    ("took", "counts_from"),
    [(0, 0), (10, 0), (10.001, 10.001), (600, 600)],
)
def test_a_request_counts_from_its_first_byte_if_the_last_follows_soon(
    took: float, counts_from: float
) -> None:
    assert Arrival(100.0, 100.0 + took).moment == pytest.approx(100 + counts_from)


def test_a_body_that_is_still_being_read_counts_until_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 150.0)
    assert Arrival(100.0).moment == 150.0
    assert moment_of({}) == 150.0


@pytest.mark.parametrize(
    ("header", "moment"),
    [
        ("t=1000000000.000", 500),
        ("t=1000000000000", 500),
        ("t=1000000000000000", 500),
        ("t=1000000000.000; took=4.5", 495.5),
        ("t=1000000000.000; took=30", 500),
        ("t=1000000000000; took=4500.25ms", 495.5),
        ("t=1000000000000; took=4.5e-02ms", 500),
        ("t=1000000000.5", 500.5),
        ("t=1000000100.000", 590),  # ahead of our clock
        ("t=999990000.000", 590),  # longer ago than a request may take
        ("t=now", 590),
        ("", 590),
    ],
)
def test_a_trusted_proxy_tells_when_it_had_received_a_request(
    header: str, moment: float, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 600.0)
    monkeypatch.setattr(time, "time", lambda: 1_000_000_100.0 - 0.001)
    environ = {KEY: Arrival(590.0, 590.0), HEADER: header}
    assert moment_of(environ) == 590
    settings.TRUST_REQUEST_START = True
    assert moment_of(environ) == pytest.approx(moment, abs=0.01)


def test_what_the_proxy_had_not_received_counts_when_it_reaches_us(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.TRUST_REQUEST_START = True
    monkeypatch.setattr(time, "monotonic", lambda: 600.0)
    monkeypatch.setattr(time, "time", lambda: 1_000_000_100.0)
    environ = {KEY: Arrival(500.0, 580.0), HEADER: "t=1000000000.000"}
    assert moment_of(environ) == pytest.approx(580)


@pytest.mark.once
def test_bytes_that_wait_to_be_read_have_the_moment_of_their_arrival(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if arrivals._STAMPS is None:
        pytest.skip("only Linux stamps received bytes")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stamp_arrivals(listening)

        def is_stamped() -> bool:
            """Linux begins to stamp some moments after the first socket has asked for it."""
            with (
                monkeypatch.context() as later,
                socket.create_connection(listening.getsockname()) as client,
            ):
                client.sendall(b"in time")
                sent = time.monotonic()
                ours, _ = listening.accept()
                with ours:
                    clocks: dict[str, Callable[[], float]]
                    clocks = {"monotonic": time.monotonic, "time": time.time}
                    for name, clock in clocks.items():
                        later.setattr(time, name, lambda clock=clock: clock() + 60)
                    content, moment = receive(ours, 100)
            assert content == b"in time"
            return moment <= sent + 1

        eventually(is_stamped)


def test_the_clock_of_stamps_may_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stamped:
        def recvmsg(self, size: int, ancillary: int) -> Any:
            content = arrivals._STAMP.pack(1_000, 0)
            return b"x", [(socket.SOL_SOCKET, arrivals._STAMPS, content)], 0, None

    monkeypatch.setattr(time, "monotonic", lambda: 70.0)
    connection: Any = Stamped()
    for now, moment in ((1_020.0, 50.0), (999.0, 70.0), (9_999.0, 70.0)):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        assert receive(connection, 1) == (b"x", moment)
