"""The broker within the process: messages wake consumers, and none is missed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kombu import Connection, Consumer, Queue

from leaderboard.messages import memory_broker

pytestmark = pytest.mark.once


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A connection whose consumers look again only when they are woken."""
    monkeypatch.setattr(memory_broker, "LONGEST", 3600.0)
    with Connection(
        "memory://", transport="leaderboard.messages.memory_broker:Transport"
    ) as opened:
        yield opened


def test_each_message_wakes_the_consumer(connection: Any) -> None:
    """A consumer would look again only after an hour, so each message must have woken it."""
    name = f"test-{time.monotonic_ns()}"
    queue: Any = Queue(name, routing_key=name)
    bodies: list[int] = []

    def send() -> None:
        with Connection(
            "memory://", transport="leaderboard.messages.memory_broker:Transport"
        ) as other:
            for number in range(50):
                other.default_channel  # noqa: B018 - opened before the pause
                time.sleep(0.001 * (number % 3))
                other.SimpleQueue(queue).put(number)

    sender = threading.Thread(target=send)
    with Consumer(
        connection, queue, callbacks=[lambda body, message: bodies.append(body)], no_ack=True
    ):
        sender.start()
        while len(bodies) < 50:
            connection.drain_events()
    sender.join()
    assert bodies == list(range(50))


def test_without_a_message_draining_times_out(connection: Any) -> None:
    with (
        Consumer(connection, Queue(f"silent-{time.monotonic_ns()}"), no_ack=True),
        pytest.raises(TimeoutError),
    ):
        connection.drain_events(timeout=0.01)
