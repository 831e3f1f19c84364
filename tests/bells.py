"""A bell that nobody hears, for tests without a broker and without a worker."""

from typing import Any

import pytest

from leaderboard import queue


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What would have been rung. A folder of tests imports it in its conftest."""
    rung: list[tuple[Any, ...]] = []

    def ring(task: str, *args: str | int) -> bool:
        rung.append((task.rsplit(".", 1)[-1], *args))
        return True

    monkeypatch.setattr(queue, "_ring", ring)
    return rung
