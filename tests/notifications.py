"""Notifications without a receiver, for tests without a broker and without a worker."""

from typing import Any

import pytest

from leaderboard.messages import queue


@pytest.fixture(autouse=True)
def notifications(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """A list of what would have been sent. A folder of tests imports it in its conftest.

    The broker in memory may hold what other tests of this process sent; it does not count.
    """
    sent: list[tuple[Any, ...]] = []

    def send(task: str, *args: str | int) -> bool:
        sent.append((task.rsplit(".", 1)[-1], *args))
        return True

    monkeypatch.setattr(queue, "_send", send)
    monkeypatch.setattr(queue, "backlog", lambda: 0)
    return sent
